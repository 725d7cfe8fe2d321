
    ; This folder's own: made true by make-my-fact, seen by observers.py.
    (my-fact ?o - item)
