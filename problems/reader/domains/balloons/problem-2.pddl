(define (problem night_glow)
  (:domain balloons)
  (:objects
    pear_balloon teapot_balloon black_balloon - balloon
    old_burner quiet_burner spare_burner - burner
    lorry concrete_block church_gate - anchor
    green_trailer rusty_trailer - trailer
    ignaz ruth twin_with_glasses twin_with_braces small_boy - person)
  (:init
    (inflated pear_balloon)
    (tethered_to pear_balloon lorry)
    (spread_out teapot_balloon)
    (rolled_up_on black_balloon green_trailer)
    (fitted_to old_burner pear_balloon)
    (fitted_to quiet_burner pear_balloon)
    (fitted_to spare_burner teapot_balloon)
    (waiting_at ignaz lorry)
    (waiting_at ruth church_gate)
    (waiting_at twin_with_glasses church_gate)
    (waiting_at twin_with_braces church_gate)
    (aboard small_boy pear_balloon))
  (:goal (and (inflated teapot_balloon))))
