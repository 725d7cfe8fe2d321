"""Tables in PyBullet: another physics for any scene that is seen, and for any body."""
