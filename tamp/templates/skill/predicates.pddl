
    ; This folder's own: made true by my-skill, seen by observers.py.
    (my-fact ?x - item)
