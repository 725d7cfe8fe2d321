(define (problem the_churchyard)
  (:domain flyloft)
  (:objects
    queen page first_gravedigger second_gravedigger - player
    ermine_cloak muddy_apron jester_cap - costume
    oak_chest laundry_basket - hamper
    left_wing grave_trap throne_steps - mark
    churchyard_cloth - cloth
    bar_1 bar_2 - bar
    pin_spot - lamp)
  (:init
    (standing_on queen left_wing)
    (wearing queen ermine_cloak)
    (standing_on page left_wing)
    (standing_on first_gravedigger grave_trap)
    (wearing first_gravedigger muddy_apron)
    (standing_on second_gravedigger grave_trap)
    (packed_in jester_cap oak_chest)
    (hung_on churchyard_cloth bar_1)
    (flown_out bar_1)
    (lowered bar_2)
    (trained_on pin_spot throne_steps))
  (:goal (and (flown_out bar_2))))
