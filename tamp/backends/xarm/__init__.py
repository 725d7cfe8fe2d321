"""The UFACTORY xArm: what a plan for it may say."""
