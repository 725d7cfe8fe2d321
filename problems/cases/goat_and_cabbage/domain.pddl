(define (domain riddle)
  (:requirements :strips :typing :equality :adl)
  (:types passenger bank)
  (:predicates
    (farmer ?b - bank)
    (on ?p - passenger ?b - bank)
    (eats ?a ?b - passenger))

  (:action row
    :parameters (?from ?to - bank)
    :precondition (and
      (farmer ?from)
      (not (= ?from ?to))
      (forall (?a ?b - passenger) (imply (eats ?a ?b) (not (and (on ?a ?from) (on ?b ?from))))))
    :effect (and (farmer ?to) (not (farmer ?from))))

  (:action take
    :parameters (?p - passenger ?from ?to - bank)
    :precondition (and
      (farmer ?from)
      (on ?p ?from)
      (not (= ?from ?to))
      (forall (?a ?b - passenger)
        (or (= ?a ?p) (= ?b ?p) (not (eats ?a ?b)) (not (on ?a ?from)) (not (on ?b ?from)))))
    :effect (and (farmer ?to) (not (farmer ?from)) (on ?p ?to) (not (on ?p ?from)))))
