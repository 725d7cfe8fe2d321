(define (domain delivery)
  (:requirements :strips :typing)
  (:types place box van)
  (:predicates (road ?a ?b - place) (at ?v - van ?p - place) (lies ?b - box ?p - place) (in ?b - box ?v - van))
  (:action drive
    :parameters (?v - van ?a ?b - place)
    :precondition (and (at ?v ?a) (road ?a ?b))
    :effect (and (at ?v ?b) (not (at ?v ?a))))
  (:action load
    :parameters (?b - box ?v - van ?p - place)
    :precondition (and (lies ?b ?p) (at ?v ?p))
    :effect (and (in ?b ?v) (not (lies ?b ?p))))
  (:action unload
    :parameters (?b - box ?v - van ?p - place)
    :precondition (and (in ?b ?v) (at ?v ?p))
    :effect (and (lies ?b ?p) (not (in ?b ?v))))
)
