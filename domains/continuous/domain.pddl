; What an arm may do at one time, in PDDL 2.1: operators that last, and the resources that they take meanwhile.
;
; An operator takes its resources at its start and gives them back at its end: two that take the same cannot overlap.
; One without an end of its own may last up to an hour, the most that an order can skip: unified-planning reads no
; duration that is bounded from below only.

(define (domain continuous)
  (:requirements :typing :durative-actions :duration-inequalities)

  (:types
    surface - object
    item - surface  ; can be carried; other things can stand on it
  )

  (:predicates
    (on ?o - item ?s - surface)
    (clear ?s - surface)
    (holding ?o - item)
    (hand-empty)

    ; The resources, true while nobody has taken them.
    (arm-free)
    (hand-free)
    (eyes-free)

    ; What was done at least once, so that a goal can ask for it.
    (waved)
    (watched)
    (held-still)
    (followed ?o - item)
    (stirred ?o - item)
    (wiped ?s - surface)
  )

  (:durative-action pick
    :parameters (?o - item ?from - surface)
    :duration (and (>= ?duration 1) (<= ?duration 30))
    :condition (and
      (at start (arm-free)) (at start (hand-free))
      (at start (hand-empty)) (at start (on ?o ?from)) (over all (clear ?o)))
    :effect (and
      (at start (not (arm-free))) (at start (not (hand-free))) (at start (not (hand-empty)))
      (at end (holding ?o)) (at end (not (on ?o ?from))) (at end (clear ?from))
      (at end (arm-free)) (at end (hand-free))))

  (:durative-action place-on
    :parameters (?o - item ?s - surface)
    :duration (and (>= ?duration 1) (<= ?duration 30))
    :condition (and
      (at start (arm-free)) (at start (hand-free))
      (at start (holding ?o)) (at start (clear ?s)))
    :effect (and
      (at start (not (arm-free))) (at start (not (hand-free)))
      (at end (not (holding ?o))) (at end (on ?o ?s)) (at end (not (clear ?s))) (at end (hand-empty))
      (at end (arm-free)) (at end (hand-free))))

  (:durative-action watch
    :parameters ()
    :duration (and (>= ?duration 0.5) (<= ?duration 3600))  ; it looks twice a second
    :condition (at start (eyes-free))
    :effect (and (at start (not (eyes-free))) (at end (eyes-free)) (at end (watched))))

  (:durative-action hold
    :parameters ()
    :duration (and (>= ?duration 0.1) (<= ?duration 3600))
    :condition (and (at start (arm-free)) (at start (hand-free)))
    :effect (and
      (at start (not (arm-free))) (at start (not (hand-free)))
      (at end (arm-free)) (at end (hand-free)) (at end (held-still))))

  (:durative-action wave
    :parameters ()
    :duration (and (>= ?duration 1) (<= ?duration 3600))
    :condition (at start (arm-free))
    :effect (and
      (at start (not (arm-free)))
      (at end (arm-free)) (at end (waved))))

  (:durative-action follow
    :parameters (?o - item)
    :duration (and (>= ?duration 1) (<= ?duration 3600))
    :condition (at start (arm-free))
    :effect (and
      (at start (not (arm-free)))
      (at end (arm-free)) (at end (followed ?o))))

  (:durative-action stir
    :parameters (?o - item)
    :duration (and (>= ?duration 1) (<= ?duration 3600))
    :condition (at start (arm-free))
    :effect (and
      (at start (not (arm-free)))
      (at end (arm-free)) (at end (stirred ?o))))

  (:durative-action wipe
    :parameters (?s - surface)
    :duration (and (>= ?duration 1) (<= ?duration 3600))
    :condition (at start (arm-free))
    :effect (and
      (at start (not (arm-free)))
      (at end (arm-free)) (at end (wiped ?s)))))
