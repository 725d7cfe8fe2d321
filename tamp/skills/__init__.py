"""Skills: how operators become motions."""
