"""A run in the browser while it goes on: its log read as it grows, what it comes to so far, a page that shows it."""
