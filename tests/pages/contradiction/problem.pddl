(define (problem drawer_first)
  (:domain tabletop)
  (:objects
    cup - item
    bench - surface
    chest - drawer)
  (:init
    (hand-empty)
    (clear cup)
    (on cup bench)
    (closed chest))
  (:goal (and (open chest) (closed chest))))
