"""Kinematics, collision, grasps, placements, paths, timing and servo laws. Arrays and poses only."""
