(define (domain garden)
  (:requirements :strips :typing :numeric-fluents)
  (:types bed)
  (:predicates (watered ?b - bed))
  (:functions
    (litres)               ; in the can
    (holds)                ; how much goes into it
    (takes ?b - bed))

  (:action refill
    :parameters ()
    :precondition (< (litres) (holds))
    :effect (assign (litres) (holds)))

  (:action water
    :parameters (?b - bed)
    :precondition (>= (litres) (takes ?b))
    :effect (and (watered ?b) (decrease (litres) (takes ?b)))))
