(define (problem scene)
  (:domain tabletop)
  (:objects
    cabinet_1_bottom_region - drawer
    cabinet_1_middle_region - drawer
    cabinet_1_top_region - drawer
    cabinet_1_top_side - surface
    main_table - surface
    mug_1 - item
    plate_1 - item
  )
  (:init
    (clear cabinet_1_top_side)
    (clear mug_1)
    (clear plate_1)
    (closed cabinet_1_bottom_region)
    (closed cabinet_1_middle_region)
    (closed cabinet_1_top_region)
    (hand-empty)
    (on mug_1 main_table)
    (on plate_1 main_table)
  )
  (:goal
    (in mug_1 cabinet_1_top_region)
  )
)
