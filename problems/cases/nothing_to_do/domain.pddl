(define (domain parking)
  (:requirements :strips :typing :negative-preconditions)
  (:types car)
  (:predicates (parked ?c - car))

  (:action park
    :parameters (?c - car)
    :precondition (not (parked ?c))
    :effect (parked ?c))

  (:action leave
    :parameters (?c - car)
    :precondition (parked ?c)
    :effect (not (parked ?c))))
