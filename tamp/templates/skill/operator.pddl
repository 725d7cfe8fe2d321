
  ; This folder's own, to be changed. The planner may take it where :precondition holds, and reckons with :effect
  ; afterwards; skills.toml says which skill does it, observers.py whether it came true.
  (:action my-skill
    :parameters (?x - item)
    :precondition (and
      (hand-empty)
      (not (unreachable ?x))
      (not (untouchable ?x))
      (forall (?y - item) (not (obstructed ?x ?y))))
    :effect (my-fact ?x))
