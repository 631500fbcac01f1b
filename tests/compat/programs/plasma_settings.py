# What the kernels of plasma.py hold as constants: whoever wants other values sets them before the first launch.
# Lengths are in Debye lengths, times in 1 / plasma frequency, masses in electron masses.

CELLS = 32
LENGTH = 20.0
TIME_STEP = 0.1
ION_MASS = 1836.0
TURN_RATE = 0.0  # of electrons about the magnetic field, in radians a unit of time
