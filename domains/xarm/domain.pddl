; An arm that goes to places and to things, takes one in its hand and puts it down elsewhere.
;
; Edit this file and the planner and the plan validator follow. Each operator is bound to a skill in skills.toml
; beside this file, and comes to one step of the arm or one event of the hand. Symbols are names of the arm's world:
; a place is a named pose, an item has the label that the detector gives it (docs/xarm-contract.md).

(define (domain xarm)
  (:requirements :strips :typing :negative-preconditions :conditional-effects)

  (:types
    place item - object
    dropoff - place           ; the tool may go down there and let go
  )

  (:predicates
    (at ?i - item ?p - place)    ; of the things with its label, ?i is among the nearest to ?p
    (tool-at ?p - place)         ; the tool is in the pose ?p
    (above ?x - object)          ; it hovers over an item or a place
    (reached ?i - item)          ; it is where ?i is
    (aloft)                      ; it is above things, with the orientation of a place, which it keeps among them
    (down)                       ; it is among things, and only upward is known to be free
    (holding ?i - item)
    (hand-empty)
    (hand-open)
    (touched ?i - item)          ; the tool was there once
  )

  ; Straight to a place, which should be high enough for that; a dropoff need not be, see lower.
  (:action go-to
    :parameters (?p - place)
    :precondition (not (down))
    :effect (and
      (forall (?x - object) (not (above ?x)))
      (forall (?q - place) (not (tool-at ?q)))
      (aloft)
      (tool-at ?p)))

  ; To a height over a place.
  (:action go-over
    :parameters (?p - place)
    :precondition (not (down))
    :effect (and
      (forall (?x - object) (not (above ?x)))
      (forall (?q - place) (not (tool-at ?q)))
      (aloft)
      (above ?p)))

  ; To a height over a thing, from a place or after a lift, since a detection gives no orientation. What is in the hand
  ; would hit it.
  (:action approach
    :parameters (?i - item ?p - place)
    :precondition (and
      (at ?i ?p)
      (aloft)
      (hand-empty))
    :effect (and
      (not (aloft))
      (forall (?x - object) (not (above ?x)))
      (forall (?q - place) (not (tool-at ?q)))
      (above ?i)))

  ; Down to the thing that the tool hovers over.
  (:action touch
    :parameters (?i - item ?p - place)
    :precondition (and
      (at ?i ?p)
      (above ?i)
      (hand-empty))
    :effect (and
      (not (above ?i))
      (reached ?i)
      (touched ?i)
      (down)))

  ; Down to the place that the tool hovers over.
  (:action lower
    :parameters (?p - dropoff)
    :precondition (above ?p)
    :effect (and
      (not (above ?p))
      (not (aloft))
      (tool-at ?p)
      (down)))

  ; Straight up, before anything else.
  (:action lift
    :parameters ()
    :precondition (down)
    :effect (and
      (not (down))
      (aloft)
      (forall (?i - item) (not (reached ?i)))
      (forall (?p - place) (not (tool-at ?p)))))

  ; Open the hand where it can push nothing over.
  (:action ready-hand
    :parameters ()
    :precondition (and
      (hand-empty)
      (not (down)))
    :effect (hand-open))

  ; Close the hand on a thing.
  (:action grasp
    :parameters (?i - item ?p - place)
    :precondition (and
      (at ?i ?p)
      (reached ?i)
      (hand-empty)
      (hand-open))
    :effect (and
      (holding ?i)
      (not (at ?i ?p))
      (not (hand-empty))
      (not (hand-open))))

  ; Let go of it where the tool went down.
  (:action release
    :parameters (?i - item ?p - dropoff)
    :precondition (and
      (holding ?i)
      (down)
      (tool-at ?p))
    :effect (and
      (at ?i ?p)
      (not (holding ?i))
      (hand-empty)
      (hand-open)))
)
