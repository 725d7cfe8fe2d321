(define (domain flyloft)
  (:requirements :strips :typing :negative-preconditions)
  (:types cloth bar player costume hamper mark lamp)
  (:predicates
    (hung_on ?c - cloth ?b - bar)
    (flown_out ?b - bar)
    (lowered ?b - bar)
    (wearing ?p - player ?k - costume)
    (packed_in ?k - costume ?h - hamper)
    (standing_on ?p - player ?m - mark)
    (lit ?l - lamp)
    (trained_on ?l - lamp ?m - mark))

  (:action fly_out
    :parameters (?b - bar)
    :precondition (lowered ?b)
    :effect (and (flown_out ?b) (not (lowered ?b))))

  (:action bring_in
    :parameters (?b - bar)
    :precondition (flown_out ?b)
    :effect (and (lowered ?b) (not (flown_out ?b))))

  (:action rehang
    :parameters (?c - cloth ?from ?to - bar)
    :precondition (and (hung_on ?c ?from) (lowered ?from) (lowered ?to))
    :effect (and (hung_on ?c ?to) (not (hung_on ?c ?from))))

  (:action put_on
    :parameters (?p - player ?k - costume ?h - hamper)
    :precondition (packed_in ?k ?h)
    :effect (and (wearing ?p ?k) (not (packed_in ?k ?h))))

  (:action take_off
    :parameters (?p - player ?k - costume ?h - hamper)
    :precondition (wearing ?p ?k)
    :effect (and (packed_in ?k ?h) (not (wearing ?p ?k))))

  (:action cross_over
    :parameters (?p - player ?from ?to - mark)
    :precondition (standing_on ?p ?from)
    :effect (and (standing_on ?p ?to) (not (standing_on ?p ?from))))

  (:action switch_on
    :parameters (?l - lamp)
    :precondition (not (lit ?l))
    :effect (lit ?l))

  (:action switch_off
    :parameters (?l - lamp)
    :precondition (lit ?l)
    :effect (not (lit ?l)))

  (:action swing_round
    :parameters (?l - lamp ?from ?to - mark)
    :precondition (trained_on ?l ?from)
    :effect (and (trained_on ?l ?to) (not (trained_on ?l ?from)))))
