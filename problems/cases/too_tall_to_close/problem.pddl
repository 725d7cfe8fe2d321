(define (problem too_tall_to_close)
  (:domain tabletop)
  (:objects
    vase - item
    bench - surface
    chest - drawer)
  (:init
    (hand-empty)
    (clear vase)
    (on vase bench)
    (open chest)
    (too-tall vase chest))
  (:goal (and (in vase chest) (closed chest))))
