"""Words to goals: a scene as text, a program in a small typed language, and what code makes of it."""
