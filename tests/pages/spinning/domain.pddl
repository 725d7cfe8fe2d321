; A bench with a centrifuge: no operator opens its lid again.
(define (domain bench)
  (:requirements :strips :typing :conditional-effects :negative-preconditions)
  (:types tube centrifuge)
  (:predicates (in-rack ?t - tube) (in-rotor ?t - tube ?c - centrifuge) (lid-open ?c - centrifuge) (spun ?t - tube))
  (:action load
    :parameters (?t - tube ?c - centrifuge)
    :precondition (and (in-rack ?t) (lid-open ?c))
    :effect (and (in-rotor ?t ?c) (not (in-rack ?t))))
  (:action shut-lid
    :parameters (?c - centrifuge)
    :precondition (lid-open ?c)
    :effect (not (lid-open ?c)))
  (:action spin
    :parameters (?c - centrifuge)
    :precondition (not (lid-open ?c))
    :effect (forall (?t - tube) (when (in-rotor ?t ?c) (spun ?t)))))
