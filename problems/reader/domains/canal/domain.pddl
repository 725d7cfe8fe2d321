(define (domain canal)
  (:requirements :strips :typing :negative-preconditions)
  (:types
    lock basin - water
    water boat cargo wharf skipper - object)
  (:predicates
    (lying_in ?b - boat ?w - water)
    (full ?l - lock)
    (drained ?l - lock)
    (chained ?l - lock)
    (laden_with ?b - boat ?c - cargo)
    (stored_at ?c - cargo ?q - wharf)
    (steered_by ?b - boat ?s - skipper)
    (waiting_at ?s - skipper ?q - wharf))

  (:action enter_lock
    :parameters (?b - boat ?from - basin ?l - lock)
    :precondition (and (lying_in ?b ?from) (not (chained ?l)))
    :effect (and (lying_in ?b ?l) (not (lying_in ?b ?from))))

  (:action leave_lock
    :parameters (?b - boat ?l - lock ?to - basin)
    :precondition (and (lying_in ?b ?l) (not (chained ?l)))
    :effect (and (lying_in ?b ?to) (not (lying_in ?b ?l))))

  (:action fill
    :parameters (?l - lock)
    :precondition (and (drained ?l) (not (chained ?l)))
    :effect (and (full ?l) (not (drained ?l))))

  (:action drain
    :parameters (?l - lock)
    :precondition (and (full ?l) (not (chained ?l)))
    :effect (and (drained ?l) (not (full ?l))))

  (:action chain
    :parameters (?l - lock)
    :precondition (not (chained ?l))
    :effect (chained ?l))

  (:action unchain
    :parameters (?l - lock)
    :precondition (chained ?l)
    :effect (not (chained ?l)))

  (:action load
    :parameters (?c - cargo ?q - wharf ?b - boat)
    :precondition (stored_at ?c ?q)
    :effect (and (laden_with ?b ?c) (not (stored_at ?c ?q))))

  (:action unload
    :parameters (?c - cargo ?b - boat ?q - wharf)
    :precondition (laden_with ?b ?c)
    :effect (and (stored_at ?c ?q) (not (laden_with ?b ?c))))

  (:action take_the_tiller
    :parameters (?s - skipper ?q - wharf ?b - boat)
    :precondition (waiting_at ?s ?q)
    :effect (and (steered_by ?b ?s) (not (waiting_at ?s ?q))))

  (:action step_ashore
    :parameters (?s - skipper ?b - boat ?q - wharf)
    :precondition (steered_by ?b ?s)
    :effect (and (waiting_at ?s ?q) (not (steered_by ?b ?s)))))
