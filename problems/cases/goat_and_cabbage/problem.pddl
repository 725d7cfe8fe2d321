(define (problem crossing)
  (:domain riddle)
  (:objects wolf goat cabbage - passenger near far - bank)
  (:init
    (farmer near)
    (on wolf near) (on goat near) (on cabbage near)
    (eats wolf goat) (eats goat cabbage))
  (:goal (forall (?p - passenger) (on ?p far))))
