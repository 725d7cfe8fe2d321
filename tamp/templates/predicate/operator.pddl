
  ; This folder's own, to be changed: what pick does, by the same skill, after which (my-fact ?o) is to be seen.
  (:action make-my-fact
    :parameters (?o - item ?from - surface)
    :precondition (and
      (hand-empty)
      (on ?o ?from)
      (clear ?o)
      (not (no-grasp ?o))
      (not (untouchable ?o))
      (forall (?x - item) (not (obstructed ?o ?x))))
    :effect (and
      (holding ?o)
      (not (hand-empty))
      (not (on ?o ?from))
      (clear ?from)
      (my-fact ?o)))
