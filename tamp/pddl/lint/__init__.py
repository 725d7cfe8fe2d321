"""What is wrong with domains and problems, and where: findings with a code, a place and a line of text.

The places come from the tree of the text; what a whole problem means is asked of unified-planning.
"""
