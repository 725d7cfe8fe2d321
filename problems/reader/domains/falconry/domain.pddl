(define (domain falconry)
  (:requirements :strips :typing :negative-preconditions)
  (:types bird keeper perch chamber)
  (:predicates
    (tied_to ?b - bird ?p - perch)
    (carried_by ?b - bird ?k - keeper)
    (loose_in ?b - bird ?c - chamber)
    (hooded ?b - bird)
    (fed ?b - bird)
    (bolted ?c - chamber)
    (swept ?c - chamber))

  (:action take_up
    :parameters (?k - keeper ?b - bird ?p - perch)
    :precondition (tied_to ?b ?p)
    :effect (and (carried_by ?b ?k) (not (tied_to ?b ?p))))

  (:action tie
    :parameters (?k - keeper ?b - bird ?p - perch)
    :precondition (carried_by ?b ?k)
    :effect (and (tied_to ?b ?p) (not (carried_by ?b ?k))))

  (:action let_loose
    :parameters (?k - keeper ?b - bird ?c - chamber)
    :precondition (and (carried_by ?b ?k) (not (hooded ?b)) (not (bolted ?c)))
    :effect (and (loose_in ?b ?c) (not (carried_by ?b ?k))))

  (:action call_in
    :parameters (?k - keeper ?b - bird ?c - chamber)
    :precondition (and (loose_in ?b ?c) (not (bolted ?c)))
    :effect (and (carried_by ?b ?k) (not (loose_in ?b ?c))))

  (:action hand_over
    :parameters (?from ?to - keeper ?b - bird)
    :precondition (carried_by ?b ?from)
    :effect (and (carried_by ?b ?to) (not (carried_by ?b ?from))))

  (:action hood
    :parameters (?k - keeper ?b - bird)
    :precondition (and (carried_by ?b ?k) (not (hooded ?b)))
    :effect (hooded ?b))

  (:action unhood
    :parameters (?b - bird)
    :precondition (hooded ?b)
    :effect (not (hooded ?b)))

  (:action feed
    :parameters (?k - keeper ?b - bird)
    :precondition (and (carried_by ?b ?k) (not (hooded ?b)))
    :effect (fed ?b))

  (:action fly_to_the_lure
    :parameters (?k - keeper ?b - bird)
    :precondition (and (carried_by ?b ?k) (not (hooded ?b)) (fed ?b))
    :effect (not (fed ?b)))

  (:action bolt
    :parameters (?c - chamber)
    :precondition (not (bolted ?c))
    :effect (bolted ?c))

  (:action unbolt
    :parameters (?c - chamber)
    :precondition (bolted ?c)
    :effect (not (bolted ?c)))

  (:action sweep
    :parameters (?c - chamber)
    :precondition (not (bolted ?c))
    :effect (swept ?c))

  (:action strew_sand
    :parameters (?c - chamber)
    :precondition (and (swept ?c) (not (bolted ?c)))
    :effect (not (swept ?c))))
