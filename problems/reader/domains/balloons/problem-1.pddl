(define (problem a_wedding)
  (:domain balloons)
  (:objects
    striped_balloon yellow_balloon tartan_balloon whale_balloon - balloon
    twin_burner single_burner - burner
    iron_stake tractor willow_stump - anchor
    long_trailer short_trailer - trailer
    nadia corporal_beck bride bridegroom photographer - person)
  (:init
    (inflated striped_balloon)
    (tethered_to striped_balloon iron_stake)
    (spread_out yellow_balloon)
    (rolled_up_on tartan_balloon long_trailer)
    (inflated whale_balloon)
    (tethered_to whale_balloon tractor)
    (fitted_to twin_burner striped_balloon)
    (roaring twin_burner)
    (fitted_to single_burner yellow_balloon)
    (aboard nadia striped_balloon)
    (waiting_at corporal_beck tractor)
    (waiting_at bride willow_stump)
    (aboard bridegroom whale_balloon)
    (waiting_at photographer willow_stump))
  (:goal (and (roaring single_burner))))
