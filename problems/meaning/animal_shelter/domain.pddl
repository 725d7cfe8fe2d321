(define (domain animal-shelter)
  (:requirements :strips :typing :negative-preconditions :universal-preconditions)
  (:types animal volunteer pen slot - object
          dog cat - animal)
  (:predicates
    (housed-in ?a - animal ?p - pen)
    (fostered-by ?a - animal ?v - volunteer)
    (walk-booked ?d - dog ?v - volunteer ?s - slot)
    (fed ?a - animal)
    (vaccinated ?a - animal)
    (clean ?p - pen))
  (:action feed
    :parameters (?a - animal)
    :precondition (and (not (fed ?a)))
    :effect (and (fed ?a)))
  (:action vaccinate
    :parameters (?a - animal)
    :precondition (and (not (vaccinated ?a)))
    :effect (and (vaccinated ?a)))
  (:action clean-pen
    :parameters (?p - pen)
    :precondition (and (not (clean ?p)) (forall (?x - animal) (not (housed-in ?x ?p))))
    :effect (and (clean ?p)))
  (:action move-animal
    :parameters (?a - animal ?from - pen ?to - pen)
    :precondition (and (housed-in ?a ?from) (forall (?x - animal) (not (housed-in ?x ?to))))
    :effect (and (housed-in ?a ?to) (not (housed-in ?a ?from)) (not (clean ?from))))
  (:action send-to-foster
    :parameters (?a - animal ?p - pen ?v - volunteer)
    :precondition (and (housed-in ?a ?p) (vaccinated ?a))
    :effect (and (fostered-by ?a ?v) (not (housed-in ?a ?p)) (not (clean ?p))))
  (:action take-back
    :parameters (?a - animal ?v - volunteer ?p - pen)
    :precondition (and (fostered-by ?a ?v) (forall (?x - animal) (not (housed-in ?x ?p))))
    :effect (and (housed-in ?a ?p) (not (fostered-by ?a ?v))))
  (:action book-walk
    :parameters (?d - dog ?v - volunteer ?s - slot)
    :precondition (and (forall (?x - dog) (not (walk-booked ?x ?v ?s)))
                       (forall (?w - volunteer) (not (walk-booked ?d ?w ?s))))
    :effect (and (walk-booked ?d ?v ?s)))
  (:action cancel-walk
    :parameters (?d - dog ?v - volunteer ?s - slot)
    :precondition (and (walk-booked ?d ?v ?s))
    :effect (and (not (walk-booked ?d ?v ?s)))))
