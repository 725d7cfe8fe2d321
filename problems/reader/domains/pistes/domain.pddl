(define (domain pistes)
  (:requirements :strips :typing :negative-preconditions)
  (:types
    slope lift - place
    place machine cannon patroller - object)
  (:predicates
    (running ?l - lift)
    (groomed ?s - slope)
    (roped_off ?s - slope)
    (parked_at ?m - machine ?x - place)
    (aimed_at ?c - cannon ?s - slope)
    (blowing ?c - cannon)
    (posted_at ?p - patroller ?x - place))

  (:action start_lift
    :parameters (?l - lift)
    :precondition (not (running ?l))
    :effect (running ?l))

  (:action stop_lift
    :parameters (?l - lift)
    :precondition (running ?l)
    :effect (not (running ?l)))

  (:action groom
    :parameters (?m - machine ?s - slope)
    :precondition (and (parked_at ?m ?s) (not (groomed ?s)))
    :effect (groomed ?s))

  (:action ski_to_bumps
    :parameters (?s - slope)
    :precondition (and (groomed ?s) (not (roped_off ?s)))
    :effect (not (groomed ?s)))

  (:action rope_off
    :parameters (?s - slope)
    :precondition (not (roped_off ?s))
    :effect (roped_off ?s))

  (:action take_rope_down
    :parameters (?s - slope)
    :precondition (roped_off ?s)
    :effect (not (roped_off ?s)))

  (:action drive
    :parameters (?m - machine ?from ?to - place)
    :precondition (parked_at ?m ?from)
    :effect (and (parked_at ?m ?to) (not (parked_at ?m ?from))))

  (:action turn_cannon
    :parameters (?c - cannon ?from ?to - slope)
    :precondition (aimed_at ?c ?from)
    :effect (and (aimed_at ?c ?to) (not (aimed_at ?c ?from))))

  (:action cannon_on
    :parameters (?c - cannon)
    :precondition (not (blowing ?c))
    :effect (blowing ?c))

  (:action cannon_off
    :parameters (?c - cannon)
    :precondition (blowing ?c)
    :effect (not (blowing ?c)))

  (:action send
    :parameters (?p - patroller ?from ?to - place)
    :precondition (posted_at ?p ?from)
    :effect (and (posted_at ?p ?to) (not (posted_at ?p ?from)))))
