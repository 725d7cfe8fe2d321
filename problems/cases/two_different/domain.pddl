(define (domain movers)
  (:requirements :strips :typing :equality)
  (:types person furniture)
  (:predicates (rested ?p - person) (moved ?f - furniture))

  (:action carry
    :parameters (?a ?b - person ?f - furniture)
    :precondition (and (not (= ?a ?b)) (rested ?a) (rested ?b))
    :effect (and (moved ?f) (not (rested ?a)) (not (rested ?b)))))
