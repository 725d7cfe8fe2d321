"""What to do and how: symbols and geometry, until both agree."""
