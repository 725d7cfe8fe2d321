(define (domain small)
  (:requirements :strips :typing)
  (:types thing)
  (:predicates (clear ?a - thing) (on ?a ?b - thing))
  (:action stack
    :parameters (?a ?b - thing)
    :precondition (and (clear ?a) (clear ?b) (not (= ?a ?b)))
    :effect (and (on ?a ?b) (not (clear ?b))))
)
