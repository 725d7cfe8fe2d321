(define (domain leftovers)
  (:requirements :strips :typing :conditional-effects)
  (:types food tool)
  (:predicates (eaten ?f - food) (cold ?f - food) (clean ?t - tool))

  (:action eat
    :parameters (?f - food ?t - tool)
    :precondition (not (eaten ?f))
    :effect (eaten ?f))

  (:action warm
    :parameters (?f - food)
    :precondition (cold ?f)
    :effect (not (cold ?f))))
