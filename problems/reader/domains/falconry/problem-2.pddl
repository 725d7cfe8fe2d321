(define (problem lawn_before_the_show)
  (:domain falconry)
  (:objects
    barn_owl eagle_owl snowy_owl kestrel merlin hobby - bird
    sunniva tancred apprentice - keeper
    low_perch high_perch ring_perch - perch
    moulting_room flight_room night_room - chamber)
  (:init
    (tied_to barn_owl low_perch)
    (carried_by eagle_owl sunniva)
    (loose_in snowy_owl moulting_room)
    (tied_to kestrel high_perch)
    (hooded kestrel)
    (tied_to merlin high_perch)
    (hooded merlin)
    (fed merlin)
    (carried_by hobby tancred)
    (bolted moulting_room)
    (swept flight_room))
  (:goal (and (bolted night_room))))
