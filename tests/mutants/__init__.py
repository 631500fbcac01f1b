# One-line defects, each of which must turn a named test red.
