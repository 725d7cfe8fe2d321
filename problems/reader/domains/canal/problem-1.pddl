(define (problem the_flight_in_spring)
  (:domain canal)
  (:objects
    red_narrowboat green_narrowboat dredger tug - boat
    bottom_lock middle_lock top_lock - lock
    lower_basin upper_basin - basin
    gravel oak_beams tar_barrels - cargo
    mill_wharf lock_wharf - wharf
    old_jonas piet - skipper)
  (:init
    (lying_in red_narrowboat lower_basin)
    (laden_with red_narrowboat gravel)
    (steered_by red_narrowboat old_jonas)
    (lying_in green_narrowboat lower_basin)
    (lying_in dredger middle_lock)
    (lying_in tug upper_basin)
    (drained bottom_lock)
    (full middle_lock)
    (full top_lock)
    (chained top_lock)
    (stored_at oak_beams mill_wharf)
    (stored_at tar_barrels lock_wharf)
    (waiting_at piet mill_wharf))
  (:goal (and (lying_in dredger lower_basin))))
