(define (domain cart)
  (:requirements :strips :typing :conditional-effects :existential-preconditions)
  (:types thing place)
  (:predicates (at ?t - thing ?p - place) (cart-at ?p - place) (loaded ?t - thing))

  (:action load
    :parameters (?t - thing)
    :precondition (exists (?p - place) (and (cart-at ?p) (at ?t ?p)))
    :effect (loaded ?t))

  (:action unload
    :parameters (?t - thing)
    :precondition (loaded ?t)
    :effect (not (loaded ?t)))

  (:action push
    :parameters (?from ?to - place)
    :precondition (cart-at ?from)
    :effect (and
      (cart-at ?to)
      (not (cart-at ?from))
      (forall (?t - thing) (when (loaded ?t) (and (at ?t ?to) (not (at ?t ?from))))))))
