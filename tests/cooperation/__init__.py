"""What the threads of a block, a warp or a grid do together, compared with a plain model of CUDA's rules."""
