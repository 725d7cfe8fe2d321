"""The scene in words: what things are called, where they stand among their namesakes, what can be said of them."""
