"""A language model in the planner's place, and as who decides where nothing else helps."""
