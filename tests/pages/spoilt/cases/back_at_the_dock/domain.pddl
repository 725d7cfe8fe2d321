(define (domain mopping)
  (:requirements :strips :typing)
  (:types room)
  (:constants dock - room)
  (:predicates (at ?r - room) (mopped ?r - room) (charged))

  (:action go
    :parameters (?from ?to - room)
    :precondition (at ?from)
    :effect (and (at ?to) (not (at ?from))))

  (:action mop
    :parameters (?r - room)
    :precondition (and (at ?r) (charged))
    :effect (and (mopped ?r) (not (charged))))

  (:action charge
    :parameters ()
    :precondition (at dock)
    :effect (charged)))
