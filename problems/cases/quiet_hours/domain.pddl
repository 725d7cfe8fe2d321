(define (domain workshop)
  (:requirements :strips :negative-preconditions)
  (:predicates (asleep) (noisy) (hole))

  (:action wake
    :parameters ()
    :precondition (asleep)
    :effect (not (asleep)))

  (:action start
    :parameters ()
    :precondition (and (not (asleep)) (not (noisy)))
    :effect (noisy))

  (:action drill
    :parameters ()
    :precondition (noisy)
    :effect (hole))

  (:action stop
    :parameters ()
    :precondition (noisy)
    :effect (not (noisy))))
