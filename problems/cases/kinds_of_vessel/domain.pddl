(define (domain harbour)
  (:requirements :strips :typing)
  (:types
    ship barge - vessel
    vessel berth - object)
  (:predicates (moored ?v - vessel ?b - berth) (inland ?b - berth))

  (:action sail
    :parameters (?s - ship ?from ?to - berth)
    :precondition (moored ?s ?from)
    :effect (and (moored ?s ?to) (not (moored ?s ?from))))

  (:action tow
    :parameters (?v - vessel ?from ?to - berth)
    :precondition (and (moored ?v ?from) (inland ?from) (inland ?to))
    :effect (and (moored ?v ?to) (not (moored ?v ?from)))))
