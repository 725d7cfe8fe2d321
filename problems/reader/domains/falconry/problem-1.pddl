(define (problem mews_at_dawn)
  (:domain falconry)
  (:objects
    peregrine lanner white_gyrfalcon goshawk young_harris_hawk old_harris_hawk - bird
    ottilie bram - keeper
    bow_perch gate_perch elm_perch - perch
    north_chamber south_chamber weathering_pen - chamber)
  (:init
    (tied_to peregrine bow_perch)
    (hooded peregrine)
    (carried_by lanner ottilie)
    (tied_to white_gyrfalcon gate_perch)
    (hooded white_gyrfalcon)
    (fed white_gyrfalcon)
    (loose_in goshawk north_chamber)
    (loose_in young_harris_hawk weathering_pen)
    (tied_to old_harris_hawk bow_perch)
    (bolted north_chamber)
    (swept south_chamber))
  (:goal (and (fed goshawk))))
