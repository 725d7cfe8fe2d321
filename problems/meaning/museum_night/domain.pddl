(define (domain museum-night)
  (:requirements :strips :typing :negative-preconditions :universal-preconditions :conditional-effects)
  (:types guard room exhibit - object
          painting statue - exhibit)
  (:predicates
    (connected ?a - room ?b - room)
    (in-room ?g - guard ?r - room)
    (placed-in ?e - exhibit ?r - room)
    (carried-by ?e - exhibit ?g - guard)
    (locked ?r - room)
    (lit ?r - room)
    (covered ?e - exhibit))
  (:action walk
    :parameters (?g - guard ?from - room ?to - room)
    :precondition (and (in-room ?g ?from) (connected ?from ?to) (not (locked ?to)))
    :effect (and (in-room ?g ?to) (not (in-room ?g ?from))))
  (:action take-down
    :parameters (?g - guard ?e - exhibit ?r - room)
    :precondition (and (in-room ?g ?r) (placed-in ?e ?r)
                       (forall (?x - exhibit) (not (carried-by ?x ?g))))
    :effect (and (carried-by ?e ?g) (not (placed-in ?e ?r))))
  (:action put-up
    :parameters (?g - guard ?e - exhibit ?r - room)
    :precondition (and (in-room ?g ?r) (carried-by ?e ?g))
    :effect (and (placed-in ?e ?r) (not (carried-by ?e ?g))))
  (:action lock
    :parameters (?g - guard ?here - room ?r - room)
    :precondition (and (in-room ?g ?here) (connected ?here ?r) (not (locked ?r))
                       (forall (?x - guard) (not (in-room ?x ?r))))
    :effect (and (locked ?r)))
  (:action unlock
    :parameters (?g - guard ?here - room ?r - room)
    :precondition (and (in-room ?g ?here) (connected ?here ?r) (locked ?r))
    :effect (and (not (locked ?r))))
  (:action cover
    :parameters (?g - guard ?e - exhibit ?r - room)
    :precondition (and (in-room ?g ?r) (placed-in ?e ?r) (not (covered ?e)))
    :effect (and (covered ?e)))
  (:action uncover
    :parameters (?g - guard ?e - exhibit ?r - room)
    :precondition (and (in-room ?g ?r) (placed-in ?e ?r) (covered ?e))
    :effect (and (not (covered ?e))))
  (:action press-light-switch
    :parameters (?g - guard ?r - room)
    :precondition (and (in-room ?g ?r))
    :effect (and (when (lit ?r) (not (lit ?r)))
                 (when (not (lit ?r)) (lit ?r)))))
