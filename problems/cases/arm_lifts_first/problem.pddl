(define (problem arm_lifts_first)
  (:domain xarm)
  (:objects
    cup bottle - item
    home desk - place
    tray - dropoff)
  (:init
    (hand-empty)
    (at cup desk)
    (at bottle desk))
  (:goal (and (at cup tray) (tool-at home))))
