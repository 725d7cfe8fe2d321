; A shelf, with mistakes for tamp check to find.
(define (domain shelf)
  (:requirements :strips :typing)
  (:types thing)
  (:predicates (on ?a ?b - thing) (clear ?a - thing) (holding ?a - thing) (hand-empty))
  (:action tidy
    :parameters (?o ?s - thing)
    ; What lies there may stay.
    :precondition
      (and (on ?o ?s) (not (hand-emtpy)) (clear ?o))
    :effect (and (hand-empty) (not (holding ?o))))
  (:action take
    :parameters (?o ?s - thing)
    :precondition (and (on ?o ?s) (clear ?o) (hand-empty))
    :effect (and (holding ?o) (clear ?s))
  )
)
