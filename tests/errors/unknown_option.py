# An option that jit does not have.
# ERROR ValueError 0:0
# TWIN 9: @cuda.jit(fastmath=True)
import numpy as np

from treadle import cuda


@cuda.jit(fast=True)
def kernel(out):
    out[0] = 1


def run():
    kernel[1, 1](np.zeros(4))


# MESSAGE
# unknown option 'fast' of cuda.jit; the options are
#   device                     True: a device function, which only kernels call
#   inline                     'always', 'never' or 'auto', or a bool: whether calls of a device function are inlined
#   forceinline                True: like inline='always'
#   debug                      True: check bounds of indices and integer division; errors are raised after the launch
#   lineinfo                   True: line numbers in the generated code
#   opt                        optimisation, 0 to 3 or a bool
#   opt_level                  another name of opt
#   fastmath                   True: cheaper, less accurate math functions and division
#   fast_math                  another name of fastmath
#   max_registers              registers a thread may use on CUDA
#   launch_bounds              most threads of a block, or (threads, least blocks of a multiprocessor, most of a cluster)
#   rules                      'numba' or 'cuda-python': the rules of types and arithmetic
#   annotations_as_signatures  True: annotations of all parameters are the signature
#   argtypes                   types of the arguments, with restype: the old way of writing a signature
#   restype                    type of the result
#   target                     accepted for old programs: 'cuda', 'gpu' or 'cpu'
#   bind                       accepted for old programs, without effect
#   cache                      accepted; compiled code is not kept between processes
#   link                       files to link with; none are supported yet, so it must be empty
#   extensions                 argument handlers; none are supported yet, so it must be empty
#   cc                         compute capability that inspect_ptx shows code for, a tuple such as (8, 0)
#   chip                       the same as a string such as 'sm_80'
