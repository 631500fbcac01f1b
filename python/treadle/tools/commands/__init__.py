"""The commands of `python -m treadle`, a module each."""
