"""What is talked about: objects, atoms, goals, scenes, states, the domain."""
