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
#   device                       True: a device function, which only kernels call
#   inline                       'always', 'never' or 'auto', a bool, or a function (call, caller, callee) -> bool that is asked at each compilation: whether calls of a device function are inlined
#   forceinline                  True: like inline='always'
#   debug                        True: check bounds of indices and integer division; errors are raised after the launch. Debug information, with opt=False for variables as well
#   lineinfo                     True: line numbers in the generated code, for profilers
#   opt                          optimisation, 0 to 3 or a bool
#   opt_level                    another name of opt
#   fastmath                     True: cheaper, less accurate math functions and division
#   fast_math                    another name of fastmath
#   max_registers                registers a thread may use on CUDA
#   launch_bounds                most threads of a block, or (threads, least blocks of a multiprocessor, most of a cluster)
#   rules                        'numba' or 'cuda-python': the rules of types and arithmetic
#   annotations_as_signatures    True: annotations of all parameters are the signature
#   argtypes                     types of the arguments, with restype: the old way of writing a signature
#   restype                      type of the result
#   target                       accepted for old programs: 'cuda', 'gpu' or 'cpu'
#   bind                         accepted for old programs, without effect
#   experimental_ast_transforms  a bool, accepted without effect: consteval and what is known while compiling need no option
#   cache                        False: the compiled code is not kept for later processes, as it is otherwise
#   shared_memory_carveout       shared memory's share of a multiprocessor's on CUDA: 0 to 100 percent, 'maxl1' (0), 'maxshared' (100), -1 or 'default' (the driver's choice)
#   link                         files to link with; none are supported yet, so it must be empty
#   lto                          accepted if it is not True: Treadle links no LTO-IR
#   extensions                   argument handlers: objects with prepare_args(type, value, stream=..., retr=...)
#   abi                          of a device function, 'numba' or 'c': whether its symbol is its name
#   abi_info                     a dict; 'abi_name': the symbol of a device function with the C ABI
#   capi                         True, or a symbol: like abi='c', with the function's name or this symbol
#   features                     the least version of PTX to write, such as '+ptx80'; unset, the least that the code needs
#   ptxas_options                options of ptxas: -O0 to -O3, --maxrregcount=N, --generate-line-info, as opt=, max_registers=, lineinfo= here
#   dump                         True: print the typed tree and the code generated from it, to stderr
#   dump_numba_ir                True: print the typed tree
#   dump_mlir                    True: print the code as it is generated
#   dump_llvmir                  True: print the code as it is optimised
#   dump_ptx                     True: print the PTX
#   dump_cubin                   True: print the machine code of the CPU device; that of GPUs is the driver's
#   dump_ast                     True: print the function as it was read
#   dump_ast_after_all           another name of dump_ast
#   print_before_all             True: print the code before it is optimised
#   print_after_all              True: print the code after it is optimised
#   profile_jit                  True: print a profile of Python's part of compilations to stderr; a path: save it there, too
#   help                         True: print this table, and exit
#   cc                           compute capability that inspect_ptx shows code for, a tuple such as (8, 0)
#   chip                         the same as a string such as 'sm_80'
