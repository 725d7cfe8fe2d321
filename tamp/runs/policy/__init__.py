"""This toolkit as a policy: observations with the keys of LIBERO and robosuite in, the standard action out."""
