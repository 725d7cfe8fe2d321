; A box is put elsewhere and the table wiped, while the eyes watch all the time.
(define (problem watch_while_tidying)
  (:domain continuous)
  (:objects box_1 - item table shelf - surface)
  (:init (on box_1 table) (clear box_1) (clear shelf) (hand-empty) (arm-free) (hand-free) (eyes-free))
  (:goal (and (on box_1 shelf) (wiped table) (watched))))
