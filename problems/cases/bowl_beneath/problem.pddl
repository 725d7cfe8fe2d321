(define (problem bowl_beneath)
  (:domain tabletop)
  (:objects
    bowl egg plate - item
    table shelf - surface)
  (:init
    (hand-empty)
    (on bowl table) (on egg bowl) (on plate table)
    (clear egg) (clear plate) (clear shelf))
  (:goal (and (on bowl plate) (on egg table))))
