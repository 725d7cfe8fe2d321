"""Regression files: folders that say what a domain, a problem and its plans must come out as."""
