"""Cooperation of the threads of a block, a warp or a grid, compared with a simple model of CUDA's rules."""
