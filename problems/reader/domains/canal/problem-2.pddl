(define (problem winter_in_town)
  (:domain canal)
  (:objects
    grain_barge coal_barge police_launch white_pleasure_boat striped_pleasure_boat - boat
    guillotine_lock staircase_lock river_lock - lock
    long_pound town_basin - basin
    barley coal - cargo
    gasworks_quay church_quay - wharf
    widow_larsen emil - skipper)
  (:init
    (lying_in grain_barge long_pound)
    (laden_with grain_barge barley)
    (lying_in coal_barge long_pound)
    (lying_in police_launch guillotine_lock)
    (lying_in white_pleasure_boat town_basin)
    (steered_by white_pleasure_boat widow_larsen)
    (lying_in striped_pleasure_boat town_basin)
    (full guillotine_lock)
    (drained staircase_lock)
    (chained staircase_lock)
    (drained river_lock)
    (stored_at coal gasworks_quay)
    (waiting_at emil church_quay))
  (:goal (and (drained guillotine_lock))))
