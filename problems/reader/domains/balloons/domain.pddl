(define (domain balloons)
  (:requirements :strips :typing :negative-preconditions)
  (:types balloon burner anchor trailer person)
  (:predicates
    (inflated ?b - balloon)
    (spread_out ?b - balloon)
    (rolled_up_on ?b - balloon ?t - trailer)
    (tethered_to ?b - balloon ?a - anchor)
    (fitted_to ?u - burner ?b - balloon)
    (roaring ?u - burner)
    (aboard ?p - person ?b - balloon)
    (waiting_at ?p - person ?a - anchor))

  (:action unroll
    :parameters (?b - balloon ?t - trailer)
    :precondition (rolled_up_on ?b ?t)
    :effect (and (spread_out ?b) (not (rolled_up_on ?b ?t))))

  (:action roll_up
    :parameters (?b - balloon ?t - trailer)
    :precondition (spread_out ?b)
    :effect (and (rolled_up_on ?b ?t) (not (spread_out ?b))))

  (:action inflate
    :parameters (?b - balloon ?u - burner)
    :precondition (and (spread_out ?b) (fitted_to ?u ?b) (roaring ?u))
    :effect (and (inflated ?b) (not (spread_out ?b))))

  (:action deflate
    :parameters (?b - balloon)
    :precondition (inflated ?b)
    :effect (and (spread_out ?b) (not (inflated ?b))))

  (:action tether
    :parameters (?b - balloon ?a - anchor)
    :precondition (not (tethered_to ?b ?a))
    :effect (tethered_to ?b ?a))

  (:action untie
    :parameters (?b - balloon ?a - anchor)
    :precondition (tethered_to ?b ?a)
    :effect (not (tethered_to ?b ?a)))

  (:action refit
    :parameters (?u - burner ?from ?to - balloon)
    :precondition (and (fitted_to ?u ?from) (not (roaring ?u)))
    :effect (and (fitted_to ?u ?to) (not (fitted_to ?u ?from))))

  (:action ignite
    :parameters (?u - burner)
    :precondition (not (roaring ?u))
    :effect (roaring ?u))

  (:action shut_off
    :parameters (?u - burner)
    :precondition (roaring ?u)
    :effect (not (roaring ?u)))

  (:action climb_in
    :parameters (?p - person ?a - anchor ?b - balloon)
    :precondition (waiting_at ?p ?a)
    :effect (and (aboard ?p ?b) (not (waiting_at ?p ?a))))

  (:action climb_out
    :parameters (?p - person ?b - balloon ?a - anchor)
    :precondition (aboard ?p ?b)
    :effect (and (waiting_at ?p ?a) (not (aboard ?p ?b))))

  (:action walk
    :parameters (?p - person ?from ?to - anchor)
    :precondition (waiting_at ?p ?from)
    :effect (and (waiting_at ?p ?to) (not (waiting_at ?p ?from)))))
