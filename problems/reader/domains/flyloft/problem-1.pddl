(define (problem the_wolf_act_one)
  (:domain flyloft)
  (:objects
    forest_cloth castle_cloth gauze - cloth
    front_bar middle_bar back_bar - bar
    wolf huntsman - player
    fur_coat green_jacket - costume
    wicker_hamper - hamper
    centre_cross trapdoor prompt_corner - mark
    follow_spot blue_flood - lamp)
  (:init
    (hung_on forest_cloth front_bar)
    (hung_on castle_cloth middle_bar)
    (hung_on gauze front_bar)
    (lowered front_bar)
    (flown_out middle_bar)
    (lowered back_bar)
    (standing_on wolf prompt_corner)
    (wearing wolf fur_coat)
    (standing_on huntsman trapdoor)
    (packed_in green_jacket wicker_hamper)
    (trained_on follow_spot centre_cross)
    (lit follow_spot)
    (trained_on blue_flood trapdoor))
  (:goal (and (hung_on gauze back_bar))))
