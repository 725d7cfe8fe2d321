(define (domain lamps)
  (:requirements :strips :typing :equality :negative-preconditions :conditional-effects)
  (:types lamp)
  (:predicates (lit ?l - lamp))

  (:action flip
    :parameters (?a ?b - lamp)
    :precondition (not (= ?a ?b))
    :effect (and
      (when (lit ?a) (not (lit ?a)))
      (when (not (lit ?a)) (lit ?a))
      (when (lit ?b) (not (lit ?b)))
      (when (not (lit ?b)) (lit ?b)))))
