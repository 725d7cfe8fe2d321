(define (problem first_morning_of_the_season)
  (:domain pistes)
  (:objects
    nursery_slope red_run black_run forest_trail - slope
    drag_lift chairlift gondola - lift
    big_groomer old_groomer - machine
    fan_cannon lance_cannon - cannon
    silvia young_toni old_toni - patroller)
  (:init
    (groomed nursery_slope)
    (roped_off red_run)
    (roped_off black_run)
    (running drag_lift)
    (running gondola)
    (parked_at big_groomer gondola)
    (parked_at old_groomer nursery_slope)
    (aimed_at fan_cannon nursery_slope)
    (blowing fan_cannon)
    (aimed_at lance_cannon red_run)
    (posted_at silvia red_run)
    (posted_at young_toni chairlift)
    (posted_at old_toni chairlift))
  (:goal (and (blowing lance_cannon))))
