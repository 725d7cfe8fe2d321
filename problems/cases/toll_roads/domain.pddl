(define (domain roads)
  (:requirements :strips :typing :action-costs)
  (:types place)
  (:predicates (at ?p - place) (road ?from ?to - place))
  (:functions (toll ?p - place) (total-cost))

  (:action drive
    :parameters (?from ?to - place)
    :precondition (and (at ?from) (road ?from ?to))
    :effect (and (at ?to) (not (at ?from)) (increase (total-cost) (toll ?to)))))
