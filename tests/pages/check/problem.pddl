(define (problem tidy) (:domain shelf)
  (:objects cup bench - thing)
  (:init (hand-empty) (clear cup) (clear bench) (on cup bench))
  (:goal
         (on cupp bench))
)
