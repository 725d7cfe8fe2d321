; my-domain: everything of the tabletop domain, and at the end of each part one thing of its own, which is there to be
; changed. The planner knows what is in this file and nothing else; the prompt, the grammar and the checks follow it.
;
;   skills.toml    which skill carries out each operator
;   skills.py      the motion of the skill that is this folder's own
;   observers.py   how its own predicate is seen
;   tests/         what `tamp test` runs

