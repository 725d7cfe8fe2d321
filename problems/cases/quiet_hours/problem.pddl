(define (problem one_hole)
  (:domain workshop)
  (:init (asleep))
  (:goal (and (hole) (not (noisy)))))
