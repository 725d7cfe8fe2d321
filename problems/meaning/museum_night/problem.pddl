(define (problem museum-night-1)
  (:domain museum-night)
  (:objects
    senior_guard junior_guard - guard
    entrance_hall east_gallery west_gallery storeroom workshop - room
    small_portrait large_portrait landscape - painting
    bronze_statue marble_statue - statue)
  (:init
    (connected entrance_hall east_gallery) (connected east_gallery entrance_hall)
    (connected entrance_hall west_gallery) (connected west_gallery entrance_hall)
    (connected entrance_hall storeroom) (connected storeroom entrance_hall)
    (connected entrance_hall workshop) (connected workshop entrance_hall)
    (connected workshop storeroom) (connected storeroom workshop)
    (in-room senior_guard entrance_hall)
    (in-room junior_guard east_gallery)
    (placed-in small_portrait east_gallery)
    (placed-in large_portrait east_gallery)
    (placed-in landscape west_gallery)
    (placed-in marble_statue west_gallery)
    (placed-in bronze_statue entrance_hall)
    (locked storeroom)
    (lit entrance_hall)
    (lit east_gallery)
    (covered marble_statue))
  (:goal (and (lit west_gallery))))
