(define (problem night_shift_on_the_glacier)
  (:domain pistes)
  (:objects
    glacier_piste valley_run toboggan_track mogul_field - slope
    rope_tow six_seater funicular - lift
    winch_groomer small_groomer - machine
    upper_cannon lower_cannon - cannon
    head_patroller dog_handler - patroller)
  (:init
    (groomed valley_run)
    (roped_off toboggan_track)
    (roped_off mogul_field)
    (running funicular)
    (parked_at winch_groomer funicular)
    (parked_at small_groomer rope_tow)
    (aimed_at upper_cannon valley_run)
    (aimed_at lower_cannon valley_run)
    (blowing lower_cannon)
    (posted_at head_patroller glacier_piste)
    (posted_at dog_handler funicular))
  (:goal (and (running six_seater))))
