"""Modules of PTX that is not Treadle's (Z4): loading, kernels, variables, launches, what ends them."""

import runs

HEAD = r'''
import ctypes, gc
from treadle import types
from treadle.cuda.cudadrv import driver
from treadle.cuda.cudadrv.driver import device_to_host, host_to_device, launch_kernel

PTX = """
.version 7.8
.target sm_80
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 shift)
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [shift];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [factor];
    mad.lo.u32 %r4, %r2, %r3, %r1;
    st.global.u32 [%rd3], %r4;
    ret;
}
"""
context = cuda.current_context()

def scaled(function, memory, shift=5, stream=0, count=8):
    launch_kernel(function.handle, 1, 1, 1, count, 1, 1, 0, stream, [memory, ctypes.c_uint32(shift)])
    return np.frombuffer(bytes(bytearray(copied(memory))), np.uint32).tolist()

def copied(memory):
    out = (ctypes.c_ubyte * 32)()
    device_to_host(out, memory, 32)
    return out

def fails(work):
    try:
        work()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
'''


def lines(program, **settings):
    return runs.run(HEAD + program, **settings).splitlines()


def test_kernels_are_found_and_launched():
    assert lines("""
module = context.create_module_ptx(PTX)
function = module.get_function("scale")
memory = context.memalloc(32)
print(scaled(function, memory))
stream = cuda.stream()
array = cuda.device_array(8, np.uint32)
launch_kernel(function.handle, 1, 1, 1, 8, 1, 1, 0, stream, [array, ctypes.c_uint32(1)])
print(array.copy_to_host().tolist())
launch_kernel(function.handle, 1, 1, 1, 8, 1, 1, 0, 0, [memory.device_ctypes_pointer, ctypes.c_uint32(0)])
print(np.frombuffer(bytes(copied(memory)), np.uint32).tolist())
print(module.context is context, function.module is module, function.name, repr(function))
""") == [
        str([5 + 3 * i for i in range(8)]),
        str([1 + 3 * i for i in range(8)]),
        str([3 * i for i in range(8)]),
        "True True scale <Function scale>",
    ]  # fmt: skip


def test_launches_are_waited_for():
    assert lines("""
function = context.create_module_ptx(PTX).get_function("scale")
array = cuda.device_array(8, np.uint32)
stream = cuda.stream()
with fake.trace() as traced:
    launch_kernel(function.handle, 1, 1, 1, 8, 1, 1, 0, stream, [array, ctypes.c_uint32(1)])
launched, waited = traced.calls[-2:]
print(launched.name, waited.name, waited.arguments["stream"] == stream.handle)
print(fake.pending())
""") == ["cuLaunchKernelEx cuStreamSynchronize True", "0"]


def test_variables_are_memory():
    assert lines("""
module = context.create_module_image(PTX.encode() + b"\\0")
memory, size = module.get_global_symbol("factor")
print(size, memory.size)
host_to_device(memory, np.array([7], np.uint32), 4)
print(scaled(module.get_function("scale"), context.memalloc(32), 0))
""") == ["4 4", str([7 * i for i in range(8)])]


def test_what_code_may_be():
    assert lines("""
code = PTX.encode()
for make, codes in (
    (context.create_module_ptx, (PTX, code, bytearray(code), memoryview(code))),
    (context.create_module_image, (code, bytearray(code), np.frombuffer(code, np.uint8))),
):
    print(*[module.get_function("scale").name for module in map(make, codes)])
with fake.trace() as traced:
    print(fails(lambda: context.create_module_ptx(5)))
    print(fails(lambda: context.create_module_image(5)))
    print(fails(lambda: context.create_module_image(PTX)))
print(traced.names, len(context.modules))
""") == [
        "scale scale scale scale",
        "scale scale scale",
        "TypeError: ptx must be the text of PTX, a str or bytes, found int",
        "TypeError: image must be PTX, a cubin or a fatbin, as bytes, found int",
        "TypeError: image must be PTX, a cubin or a fatbin, as bytes, found str",
        "[] 7",
    ]  # fmt: skip


def test_what_is_not_there():
    found = lines("""
module = context.create_module_ptx(PTX)
print(fails(lambda: module.get_function("other")))
print(fails(lambda: module.get_global_symbol("other")))
print(fails(lambda: context.create_module_ptx("no PTX")))
print(fails(lambda: launch_kernel(7, 1, 1, 1, 1, 1, 1, 0, 0, [])))
handle = module.get_function("scale").handle
print(fails(lambda: launch_kernel(handle, 1, 1, 1, 1, 1, 1, 0, 0, [3])))
print(fails(lambda: launch_kernel(handle, 1, 1, 1, 2048, 1, 1, 0, 0, [])))
""")
    assert found[0].startswith("CudaAPIError: [500] find the kernel other failed: CUDA_ERROR_NOT_FOUND")
    assert found[1].startswith("CudaAPIError: [500] find the variable other failed: CUDA_ERROR_NOT_FOUND")
    assert found[2].startswith("CudaAPIError: [218] load a module failed: CUDA_ERROR_INVALID_PTX")
    assert found[3].startswith("TypeError: expected the handle of a Function")
    assert found[4].startswith("TypeError: argument 0 of launch_kernel must be a value of ctypes or memory")
    assert found[5].startswith("ValueError: ") and "2048" in found[5]


def test_modules_stay_until_they_are_unloaded():
    assert lines("""
module = context.create_module_ptx(PTX)
other = context.create_module_ptx(PTX)
function = module.get_function("scale")
print(len(context.modules), context.modules[module.handle.value] is module)
with fake.trace() as traced:
    module.unload()
print(traced.names.count("cuModuleUnload"), list(context.modules.values()) == [other])
print(fails(lambda: module.get_function("scale")))
print(fails(lambda: scaled(function, context.memalloc(32))))
print(fails(module.unload))
context.unload_module(other)
print(len(context.modules))
""") == [
        "2 True",
        "1 True",
        "CudaAPIError: [400] use a module failed: it was unloaded",
        "CudaAPIError: [400] use a module failed: it was unloaded",
        "CudaAPIError: [400] use a module failed: it was unloaded",
        "0",
    ]  # fmt: skip


def test_a_reset_ends_them():
    found = lines("""
module = context.create_module_ptx(PTX)
function = module.get_function("scale")
context.reset()
print(len(context.modules))
print(fails(lambda: module.get_function("scale")))
print(fails(lambda: scaled(function, context.memalloc(32))))
print(fails(module.unload))
again = context.create_module_ptx(PTX)
print(scaled(again.get_function("scale"), context.memalloc(32), 1, count=2)[:2], len(context.modules))
del module, function
gc.collect()
""")
    assert found[0] == "0"
    assert all("reset" in text and text.startswith("CudaAPIError") for text in found[1:4])
    assert found[4] == "[1, 4] 1"
