"""Planning for people: any engine, a time limit that is kept, the best plans, and why there is none.

The search runs in a process of its own that is ended with everything it started. What plans hundreds of times inside
an episode is `tamp.planning.engine`, in this process.
"""
