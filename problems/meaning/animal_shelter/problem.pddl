(define (problem animal-shelter-1)
  (:domain animal-shelter)
  (:objects
    brown_terrier white_terrier greyhound - dog
    black_cat ginger_cat - cat
    maria tom - volunteer
    pen_1 pen_2 quiet_pen outdoor_pen isolation_pen - pen
    morning_slot afternoon_slot - slot)
  (:init
    (housed-in brown_terrier pen_1)
    (housed-in white_terrier pen_2)
    (housed-in greyhound outdoor_pen)
    (housed-in black_cat quiet_pen)
    (fostered-by ginger_cat tom)
    (vaccinated ginger_cat)
    (vaccinated greyhound)
    (fed black_cat)
    (clean outdoor_pen)
    (clean quiet_pen)
    (walk-booked greyhound maria morning_slot))
  (:goal (and (fed greyhound))))
