(define (domain locks)
  (:requirements :strips :typing)
  (:types key box)
  (:predicates (have ?k - key) (inside ?k - key ?b - box) (fits ?k - key ?b - box) (unlocked ?b - box))

  (:action unlock
    :parameters (?k - key ?b - box)
    :precondition (and (have ?k) (fits ?k ?b))
    :effect (unlocked ?b))

  (:action take
    :parameters (?k - key ?b - box)
    :precondition (and (inside ?k ?b) (unlocked ?b))
    :effect (and (have ?k) (not (inside ?k ?b)))))
