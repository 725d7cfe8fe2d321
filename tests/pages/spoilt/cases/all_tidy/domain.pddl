(define (domain nursery)
  (:requirements :strips :typing :quantified-preconditions :conditional-effects)
  (:types toy box)
  (:predicates (stored ?t - toy ?b - box) (lying ?t - toy) (room ?b - box) (small ?b - box))

  (:action store
    :parameters (?t - toy ?b - box)
    :precondition (and (lying ?t) (room ?b))
    :effect (and (stored ?t ?b) (not (lying ?t)) (when (small ?b) (not (room ?b))))))
