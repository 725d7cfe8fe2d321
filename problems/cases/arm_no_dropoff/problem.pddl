(define (problem arm_no_dropoff)
  (:domain xarm)
  (:objects
    cup_1 cup_2 - item
    desk shelf - place
    tray - dropoff)
  (:init
    (hand-empty)
    (at cup_1 desk)
    (at cup_2 tray))
  (:goal (and (at cup_1 shelf) (at cup_2 shelf))))
