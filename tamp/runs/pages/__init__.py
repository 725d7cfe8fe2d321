"""Pages about runs, benchmark runs and plans: what they show, and the files they are laid out with."""
