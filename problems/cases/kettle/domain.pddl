; Boiling water.
(define (domain kitchen)
  (:requirements :strips :typing :disjunctive-preconditions :existential-preconditions)
  (:types source socket)
  (:predicates
    (running ?s - source)     ; it never ends
    (filled ?s - source)      ; some water is in it
    (plugged ?s - socket)
    (full)
    (hot))

  (:action fill
    :parameters (?s - source)
    :precondition (or (running ?s) (filled ?s))
    :effect (full))

  (:action plug
    :parameters (?s - socket)
    :effect (plugged ?s))

  (:action boil
    :parameters ()
    :precondition (and (full) (exists (?s - socket) (plugged ?s)))
    :effect (hot)))
