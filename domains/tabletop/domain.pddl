; Moving things about on tables, and opening, closing and switching what stands there.
;
; Edit this file and the planner, the prompt, the decoding grammar and the plan validator follow.
; Each operator is bound to a skill in skills.toml beside this file.

(define (domain tabletop)
  (:requirements :strips :typing :equality :negative-preconditions :universal-preconditions
                 :conditional-effects)

  (:types
    place fixture - object          ; a fixture cannot be carried
    appliance - fixture             ; has a knob
    surface interior - place        ; somewhere on, somewhere in
    item - surface                  ; can be carried; other things can stand on it
    bin drawer cupboard - interior  ; always open; opened by sliding; opened by a hinged door
  )

  (:predicates
    (on ?o - item ?s - surface)       ; ?o rests on ?s
    (in ?o - item ?i - interior)      ; ?o is inside ?i
    (clear ?s - surface)              ; nothing stands on ?s
    (holding ?o - item)
    (hand-empty)
    (open ?i - interior)              ; the way into ?i is open; always so for a bin
    (closed ?i - interior)            ; shut; a half-open drawer is neither open nor closed
    (turned-on ?a - appliance)
    (turned-off ?a - appliance)
    (jams ?o - item ?i - interior)    ; ?o is in ?i and keeps it from closing

    ; Between things that stand on one level. In front is towards +x, away from the robot's base; right is towards +y.
    (left-of ?o - item ?x - object) (right-of ?o - item ?x - object)
    (in-front-of ?o - item ?x - object) (behind ?o - item ?x - object)
    (next-to ?o - item ?x - object)         ; at most 10 cm apart, on any side
    (near ?o - item ?x - object)            ; at most 25 cm apart
    (between ?o - item ?x ?y - object)
    (stacked ?o ?x - item)                  ; one stands on the other, or on what stands on it
    (rests-on ?x - object ?p - place)       ; ?x is on or in ?p, or stands on what is

    ; What the goal asks for: where there is a choice of places, one is taken that brings it all about.
    (wanted-left-of ?o - item ?x - object) (wanted-right-of ?o - item ?x - object)
    (wanted-in-front-of ?o - item ?x - object) (wanted-behind ?o - item ?x - object)
    (wanted-next-to ?o - item ?x - object) (wanted-near ?o - item ?x - object)
    (wanted-between ?o - item ?x ?y - object)

    ; What the instruction says to leave alone: not to be picked, taken out, pushed, opened, closed or switched. To put
    ; something on it or into it is not to touch it, nor does it count that what is in a drawer moves with the drawer.
    (untouchable ?o - object)

    ; What geometry found out. The planner starts without them; a failed refinement adds them.
    (too-tall ?o - item ?i - interior)       ; ?i cannot be closed while ?o is in it
    (unreachable ?x - object)                ; no configuration of the arm does it
    (no-grasp ?o - item)                     ; nothing the hand could take hold of, or no way to it
    (no-rim ?o - item)                       ; no rim that could be pinched, or no way to it
    (does-not-slide ?o - item ?s - surface)  ; ?o cannot be pushed onto ?s
    (obstructed ?x - object ?by - item)      ; ?by is in the way of grasping or moving ?x
    (in-way ?x - object ?i - interior)       ; ?i is open, and in the way of ?x
    (in-way-if-open ?x - object ?i - interior)  ; ?i is in the way of ?x where that is now, whenever it is open
    (does-not-fit ?o - item ?p - place)      ; no placement of ?o at ?p
    (misheld ?o - item ?p - place)           ; none as ?o is held, or can be grasped, now: put it down and take it anew
    (crowded ?p - place ?by - item)          ; ?by takes the room at ?p that something else needs
  )

  ; Take something that stands on a surface, with nothing standing on it.
  (:action pick
    :parameters (?o - item ?from - surface)
    :precondition (and
      (hand-empty)
      (on ?o ?from)
      (not (no-grasp ?o))
      (not (untouchable ?o))
      (clear ?o)
      (forall (?x - item) (not (obstructed ?o ?x)))
      (forall (?i - interior) (not (in-way ?o ?i))))
    :effect (and
      (holding ?o)
      (not (hand-empty))
      (not (on ?o ?from))
      (clear ?from)
      (forall (?i - interior) (not (in ?o ?i)))  ; it may have stood on another item in there
      (forall (?x - object) (not (obstructed ?x ?o)))
      (forall (?i - interior) (not (in-way-if-open ?o ?i)))
      (forall (?p - place) (and (not (crowded ?p ?o)) (not (rests-on ?o ?p))))
      (forall (?x - object) (and
        (not (left-of ?o ?x)) (not (right-of ?o ?x)) (not (in-front-of ?o ?x))
        (not (behind ?o ?x)) (not (next-to ?o ?x)) (not (near ?o ?x))))
      (forall (?x - item) (and
        (not (left-of ?x ?o)) (not (right-of ?x ?o)) (not (in-front-of ?x ?o))
        (not (behind ?x ?o)) (not (next-to ?x ?o)) (not (near ?x ?o))
        (not (stacked ?o ?x)) (not (stacked ?x ?o))))
      (forall (?x ?y - object) (not (between ?o ?x ?y)))
      (forall (?x - item ?y - object) (and (not (between ?x ?o ?y)) (not (between ?x ?y ?o))))))

  ; Take something out of an open interior.
  (:action take-out
    :parameters (?o - item ?from - interior)
    :precondition (and
      (hand-empty)
      (in ?o ?from)
      (open ?from)
      (not (no-grasp ?o))
      (not (untouchable ?o))
      (clear ?o)
      (forall (?x - item) (not (obstructed ?o ?x)))
      (forall (?i - interior) (not (in-way ?o ?i))))
    :effect (and
      (holding ?o)
      (not (hand-empty))
      (not (in ?o ?from))
      (not (jams ?o ?from))
      (forall (?s - surface) (when (on ?o ?s) (and (not (on ?o ?s)) (clear ?s))))
      (forall (?x - object) (not (obstructed ?x ?o)))
      (forall (?i - interior) (not (in-way-if-open ?o ?i)))
      (forall (?p - place) (and (not (crowded ?p ?o)) (not (rests-on ?o ?p))))
      (forall (?x - object) (and
        (not (left-of ?o ?x)) (not (right-of ?o ?x)) (not (in-front-of ?o ?x))
        (not (behind ?o ?x)) (not (next-to ?o ?x)) (not (near ?o ?x))))
      (forall (?x - item) (and
        (not (left-of ?x ?o)) (not (right-of ?x ?o)) (not (in-front-of ?x ?o))
        (not (behind ?x ?o)) (not (next-to ?x ?o)) (not (near ?x ?o))
        (not (stacked ?o ?x)) (not (stacked ?x ?o))))
      (forall (?x ?y - object) (not (between ?o ?x ?y)))
      (forall (?x - item ?y - object) (and (not (between ?x ?o ?y)) (not (between ?x ?y ?o))))))

  ; Pinch the rim of what lies too flat to be grasped, such as a plate: it turns up and hangs from the fingers.
  (:action pick-by-rim
    :parameters (?o - item ?from - surface)
    :precondition (and
      (hand-empty)
      (on ?o ?from)
      (no-grasp ?o)
      (not (no-rim ?o))
      (not (untouchable ?o))
      (clear ?o)
      (forall (?x - item) (not (obstructed ?o ?x)))
      (forall (?i - interior) (not (in-way ?o ?i))))
    :effect (and
      (holding ?o)
      (not (hand-empty))
      (not (on ?o ?from))
      (clear ?from)
      (forall (?i - interior) (not (in ?o ?i)))  ; it may have lain on another item in there
      (forall (?x - object) (not (obstructed ?x ?o)))
      (forall (?i - interior) (not (in-way-if-open ?o ?i)))
      (forall (?p - place) (and (not (crowded ?p ?o)) (not (rests-on ?o ?p))))
      (forall (?x - object) (and
        (not (left-of ?o ?x)) (not (right-of ?o ?x)) (not (in-front-of ?o ?x))
        (not (behind ?o ?x)) (not (next-to ?o ?x)) (not (near ?o ?x))))
      (forall (?x - item) (and
        (not (left-of ?x ?o)) (not (right-of ?x ?o)) (not (in-front-of ?x ?o))
        (not (behind ?x ?o)) (not (next-to ?x ?o)) (not (near ?x ?o))
        (not (stacked ?o ?x)) (not (stacked ?x ?o))))
      (forall (?x ?y - object) (not (between ?o ?x ?y)))
      (forall (?x - item ?y - object) (and (not (between ?x ?o ?y)) (not (between ?x ?y ?o))))))

  ; Put what is held on a surface: a table, a shelf, a burner, or another item.
  (:action place-on
    :parameters (?o - item ?s - surface)
    :precondition (and
      (holding ?o)
      (not (= ?o ?s))
      (not (does-not-fit ?o ?s))
      (not (misheld ?o ?s))
      (forall (?x - item) (not (crowded ?s ?x)))
      (forall (?i - interior) (not (in-way ?s ?i))))
    :effect (and
      (on ?o ?s)
      (not (clear ?s))
      (hand-empty)
      (not (holding ?o))
      (rests-on ?o ?s)
      (forall (?p - place) (and (not (misheld ?o ?p)) (when (rests-on ?s ?p) (rests-on ?o ?p))))
      (forall (?x - item) (and
        (when (= ?x ?s) (and (stacked ?o ?x) (stacked ?x ?o)))
        (when (rests-on ?s ?x) (and (stacked ?o ?x) (stacked ?x ?o)))))
      (forall (?x - object) (and
        (when (and (wanted-left-of ?o ?x) (rests-on ?x ?s)) (left-of ?o ?x))
        (when (and (wanted-right-of ?o ?x) (rests-on ?x ?s)) (right-of ?o ?x))
        (when (and (wanted-in-front-of ?o ?x) (rests-on ?x ?s)) (in-front-of ?o ?x))
        (when (and (wanted-behind ?o ?x) (rests-on ?x ?s)) (behind ?o ?x))
        (when (and (wanted-next-to ?o ?x) (rests-on ?x ?s)) (next-to ?o ?x))
        (when (and (wanted-near ?o ?x) (rests-on ?x ?s)) (near ?o ?x))))
      (forall (?x ?y - object)
        (when (and (wanted-between ?o ?x ?y) (rests-on ?x ?s) (rests-on ?y ?s)) (between ?o ?x ?y)))))

  ; Put what is held into an interior; its drawer or door must be open. What is too tall for it jams it.
  (:action place-in
    :parameters (?o - item ?i - interior)
    :precondition (and
      (holding ?o)
      (open ?i)
      (not (does-not-fit ?o ?i))
      (not (misheld ?o ?i))
      (forall (?x - item) (not (crowded ?i ?x)))
      (forall (?j - interior) (not (in-way ?i ?j))))
    :effect (and
      (in ?o ?i)
      (hand-empty)
      (not (holding ?o))
      (when (too-tall ?o ?i) (jams ?o ?i))
      (rests-on ?o ?i)
      (forall (?p - place) (not (misheld ?o ?p)))
      (forall (?x - object) (and
        (when (and (wanted-left-of ?o ?x) (rests-on ?x ?i)) (left-of ?o ?x))
        (when (and (wanted-right-of ?o ?x) (rests-on ?x ?i)) (right-of ?o ?x))
        (when (and (wanted-in-front-of ?o ?x) (rests-on ?x ?i)) (in-front-of ?o ?x))
        (when (and (wanted-behind ?o ?x) (rests-on ?x ?i)) (behind ?o ?x))
        (when (and (wanted-next-to ?o ?x) (rests-on ?x ?i)) (next-to ?o ?x))
        (when (and (wanted-near ?o ?x) (rests-on ?x ?i)) (near ?o ?x))))
      (forall (?x ?y - object)
        (when (and (wanted-between ?o ?x ?y) (rests-on ?x ?i) (rests-on ?y ?i)) (between ?o ?x ?y)))))

  ; Push what cannot be grasped along the surface that it lies on: to another place, or to another spot of the same.
  (:action slide-onto
    :parameters (?o - item ?from ?s - surface)
    :precondition (and
      (hand-empty)
      (no-grasp ?o)
      (on ?o ?from)
      (not (= ?o ?s))
      (not (untouchable ?o))
      (clear ?o)
      (not (does-not-slide ?o ?s))
      (forall (?x - item) (not (obstructed ?o ?x)))
      (forall (?i - interior) (not (in-way ?o ?i))))
    :effect (and
      (on ?o ?s)
      (not (clear ?s))
      (not (on ?o ?from))
      (clear ?from)
      (forall (?i - interior) (not (in-way-if-open ?o ?i)))
      (forall (?p - place) (not (rests-on ?o ?p)))
      (forall (?x - object) (and
        (not (left-of ?o ?x)) (not (right-of ?o ?x)) (not (in-front-of ?o ?x))
        (not (behind ?o ?x)) (not (next-to ?o ?x)) (not (near ?o ?x))))
      (forall (?x - item) (and
        (not (left-of ?x ?o)) (not (right-of ?x ?o)) (not (in-front-of ?x ?o))
        (not (behind ?x ?o)) (not (next-to ?x ?o)) (not (near ?x ?o))
        (not (stacked ?o ?x)) (not (stacked ?x ?o))))
      (forall (?x ?y - object) (not (between ?o ?x ?y)))
      (forall (?x - item ?y - object) (and (not (between ?x ?o ?y)) (not (between ?x ?y ?o))))
      (rests-on ?o ?s)
      (forall (?p - place) (and (not (misheld ?o ?p)) (when (rests-on ?s ?p) (rests-on ?o ?p))))
      (forall (?x - object) (and
        (when (and (wanted-left-of ?o ?x) (rests-on ?x ?s)) (left-of ?o ?x))
        (when (and (wanted-right-of ?o ?x) (rests-on ?x ?s)) (right-of ?o ?x))
        (when (and (wanted-in-front-of ?o ?x) (rests-on ?x ?s)) (in-front-of ?o ?x))
        (when (and (wanted-behind ?o ?x) (rests-on ?x ?s)) (behind ?o ?x))
        (when (and (wanted-next-to ?o ?x) (rests-on ?x ?s)) (next-to ?o ?x))
        (when (and (wanted-near ?o ?x) (rests-on ?x ?s)) (near ?o ?x))))
      (forall (?x ?y - object)
        (when (and (wanted-between ?o ?x ?y) (rests-on ?x ?s) (rests-on ?y ?s)) (between ?o ?x ?y)))))

  (:action open-drawer
    :parameters (?d - drawer)
    :precondition (and
      (hand-empty)
      (not (open ?d))
      (not (unreachable ?d))
      (not (untouchable ?d))
      (forall (?x - item) (not (obstructed ?d ?x)))
      (forall (?i - interior) (not (in-way ?d ?i))))
    :effect (and
      (open ?d)
      (not (closed ?d))
      (forall (?x - object) (when (in-way-if-open ?x ?d) (in-way ?x ?d)))))

  (:action close-drawer
    :parameters (?d - drawer)
    :precondition (and
      (hand-empty)
      (not (closed ?d))
      (not (unreachable ?d))
      (not (untouchable ?d))
      (forall (?x - item) (and (not (jams ?x ?d)) (not (obstructed ?d ?x))))
      (forall (?i - interior) (not (in-way ?d ?i))))
    :effect (and
      (closed ?d)
      (not (open ?d))
      (forall (?x - object) (not (in-way ?x ?d)))))

  (:action open-door
    :parameters (?c - cupboard)
    :precondition (and
      (hand-empty)
      (not (open ?c))
      (not (unreachable ?c))
      (not (untouchable ?c))
      (forall (?x - item) (not (obstructed ?c ?x)))
      (forall (?i - interior) (not (in-way ?c ?i))))
    :effect (and
      (open ?c)
      (not (closed ?c))
      (forall (?x - object) (when (in-way-if-open ?x ?c) (in-way ?x ?c)))))

  (:action close-door
    :parameters (?c - cupboard)
    :precondition (and
      (hand-empty)
      (not (closed ?c))
      (not (unreachable ?c))
      (not (untouchable ?c))
      (forall (?x - item) (and (not (jams ?x ?c)) (not (obstructed ?c ?x))))
      (forall (?i - interior) (not (in-way ?c ?i))))
    :effect (and
      (closed ?c)
      (not (open ?c))
      (forall (?x - object) (not (in-way ?x ?c)))))

  (:action turn-on
    :parameters (?a - appliance)
    :precondition (and
      (hand-empty)
      (not (turned-on ?a))
      (not (unreachable ?a))
      (not (untouchable ?a))
      (forall (?x - item) (not (obstructed ?a ?x)))
      (forall (?i - interior) (not (in-way ?a ?i))))
    :effect (and (turned-on ?a) (not (turned-off ?a))))

  (:action turn-off
    :parameters (?a - appliance)
    :precondition (and
      (hand-empty)
      (not (turned-off ?a))
      (not (unreachable ?a))
      (not (untouchable ?a))
      (forall (?x - item) (not (obstructed ?a ?x)))
      (forall (?i - interior) (not (in-way ?a ?i))))
    :effect (and (turned-off ?a) (not (turned-on ?a))))
)
