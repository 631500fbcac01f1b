"""Whole algorithms as CUDA programmers write them, each against NumPy or plain Python."""
