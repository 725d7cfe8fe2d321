; The nearer of two cups goes to the bin, and the arm home. The world is bench.toml.
(define (problem cup_to_bin)
  (:domain xarm)
  (:objects
    cup_1 cup_2 - item
    home above_table - place
    bin_drop - dropoff)
  (:init
    (hand-empty)
    (at cup_1 above_table)
    (at cup_2 above_table))
  (:goal (and (at cup_1 bin_drop) (tool-at home))))
