"""numba-cuda in a process whose CUDA driver is the stand-in: its linker gives PTX in place of machine code."""

import ctypes
import warnings

from cuda.core import ObjectCode
from numba.cuda.core.errors import NumbaPerformanceWarning
from numba.cuda.cudadrv import driver

INPUT_PTX = 1  # CU_JIT_INPUT_PTX
ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER, _SIZE_BYTES

warnings.filterwarnings("ignore", category=NumbaPerformanceWarning)


def linked_by_driver(texts):
    """The stand-in's cubin of several PTX texts."""
    library = ctypes.CDLL("libcuda.so.1")
    log, state = ctypes.create_string_buffer(4000), ctypes.c_void_p()
    options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    assert library.cuLinkCreate_v2(2, options, values, ctypes.byref(state)) == 0
    image, size = ctypes.c_void_p(), ctypes.c_size_t()
    for text in texts:
        result = library.cuLinkAddData_v2(state, INPUT_PTX, text, ctypes.c_size_t(len(text)), None, 0, None, None)
        assert result == 0, log.value.decode()
    assert library.cuLinkComplete(state, ctypes.byref(image), ctypes.byref(size)) == 0, log.value.decode()
    cubin = ctypes.string_at(image, size.value)
    assert library.cuLinkDestroy(state) == 0
    return cubin


# What NVIDIA's static library has in machine code: the barrier of all blocks. It counts arrivals in its low bits;
# the last one flips the highest bit.
DEVICE_RUNTIME = b"""
.version 8.0
.target sm_70
.address_size 64
.global .align 4 .u32 arrivals;
.visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope) {
  .reg .b64 %rd<2>;
  mov.u64 %rd1, arrivals; cvta.global.u64 %rd1, %rd1; st.param.b64 [handle], %rd1; ret;
}
.visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags) {
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<2>;
  barrier.sync 0;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3; setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $done;
  ld.param.u64 %rd1, [handle];
  mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y; mov.u32 %r6, %nctaid.z;
  mul.lo.u32 %r4, %r4, %r5; mul.lo.u32 %r4, %r4, %r6;
  mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
  or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, %r9; setp.eq.u32 %p2, %r7, 0;
  sub.u32 %r10, 0x80000001, %r4; selp.b32 %r10, %r10, 1, %p2;
  membar.gl;
  atom.add.u32 %r11, [%rd1], %r10;
$wait:
  ld.volatile.u32 %r12, [%rd1]; xor.b32 %r12, %r12, %r11; setp.ge.s32 %p3, %r12, 0;
  @%p3 bra $wait;
  membar.gl;
$done:
  barrier.sync 0;
  st.param.b32 [result], 0;
  ret;
}
\0"""


def complete(linker):
    """In place of _Linker.complete: nvJitLink's PTX where there is LTO-IR, or what the driver's linker makes."""
    libraries = [code for code in linker._object_codes if code.code_type == "library"]
    linker._object_codes = [code for code in linker._object_codes if code.code_type != "library"]
    if linker._has_ltoir:
        texts = [linker.get_linked_ptx()]
    else:
        texts = [code.code for code in linker._object_codes]
        linker._info_log = linker._error_log = ""
        linker._complete, linker.linker = True, True
    if len(texts) == 1 and not libraries:
        return ObjectCode.from_ptx(texts[0])
    texts = [text + b"\0" for text in texts] + [DEVICE_RUNTIME] * bool(libraries)
    return ObjectCode.from_cubin(linked_by_driver(texts))


driver._Linker.complete = complete
