# The PTX generator's code without a GPU: its LLVM IR, compiled for this machine, one thread after the other.
"""Tests all of the generator but instruction selection, which ptxas checks. `compiled` returns the text of a stage,
`load` makes a launchable function of its IR. Threads of blocks with barriers become threads of this machine."""

import ctypes
import re
import subprocess
import tempfile
from pathlib import Path

import treadle
from treadle import _core, compiling

OWN_MATH = Path(treadle.__file__).resolve().parents[1] / "generated" / "device_math.bc"
SIGNATURE = re.compile(r"^define [^@]*ptx_kernel void @([\w$]+)\((.*)\)", re.MULTILINE)
C_TYPES = {"ptr": "void *", "i64": "int64_t", "i32": "int32_t", "i16": "int16_t", "i8": "int8_t", "float": "float",
           "double": "double"}  # fmt: skip
REGISTERS = ("tid", "ctaid", "ntid", "nctaid")

DRIVER = """
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static __thread int tid[3];
static int ctaid[3], ntid[3], nctaid[3];
REGISTERS
int treadle_laneid(void) { return (tid[0] + ntid[0] * (tid[1] + ntid[1] * tid[2])) % 32; }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t open_again = PTHREAD_COND_INITIALIZER;
static int alive, waiting, phase;

static void release_if_all(void) {
  if (waiting < alive) return;
  waiting = 0;
  ++phase;
  pthread_cond_broadcast(&open_again);
}
void treadle_barrier(void) {
  pthread_mutex_lock(&lock);
  int mine = phase;
  ++waiting;
  release_if_all();
  while (mine == phase) pthread_cond_wait(&open_again, &lock);
  pthread_mutex_unlock(&lock);
}

void KERNEL(PARAMETERS);
struct arguments { FIELDS };
struct thread { int id[3]; struct arguments *arguments; };

static void *run(void *data) {
  struct thread *me = data;
  for (int k = 0; k < 3; ++k) tid[k] = me->id[k];
  struct arguments *a = me->arguments;
  (void)a;
  KERNEL(VALUES);
  pthread_mutex_lock(&lock);
  --alive;
  if (alive) release_if_all();
  pthread_mutex_unlock(&lock);
  return 0;
}

static void run_block(struct arguments *arguments) {
  int count = ntid[0] * ntid[1] * ntid[2];
  alive = count;
  waiting = 0;
  struct thread *threads = malloc(count * sizeof *threads);
  pthread_t *handles = malloc(count * sizeof *handles);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 18);
  for (int k = 0; k < count; ++k) {
    struct thread one = {{k % ntid[0], k / ntid[0] % ntid[1], k / ntid[0] / ntid[1]}, arguments};
    threads[k] = one;
    if (HAS_BARRIER) pthread_create(&handles[k], &small, run, &threads[k]);
    else run(&threads[k]);
  }
  for (int k = 0; HAS_BARRIER && k < count; ++k) pthread_join(handles[k], 0);
  free(threads);
  free(handles);
}

void treadle_launch(const int *grid, const int *block, struct arguments *arguments) {
  for (int k = 0; k < 3; ++k) { nctaid[k] = grid[k]; ntid[k] = block[k]; }
  for (ctaid[2] = 0; ctaid[2] < grid[2]; ++ctaid[2])
    for (ctaid[1] = 0; ctaid[1] < grid[1]; ++ctaid[1])
      for (ctaid[0] = 0; ctaid[0] < grid[0]; ++ctaid[0])
        run_block(arguments);
}
"""


class Unportable(Exception):
    """The code uses a GPU instruction that this machine cannot emulate."""


def compiled(kernel, signature, stage, facts=None, opt=3):
    """The text of a stage, "optimized" or "ptx", of the kernel's PTX."""
    function, options = compiling._request(kernel, {"device": False, "opt": bool(opt)})
    request = compiling.request_of(options, 0, facts)
    request.stage = stage
    return _core.compile_function(function, signature, request)[0]


def portable(ir):
    """The IR with calls of our functions in place of special registers and barriers."""
    ir = re.sub(r"^target (datalayout|triple) = .*$", "", ir, flags=re.MULTILINE)
    ir = 'target triple = "x86_64-unknown-linux-gnu"\n' + ir.replace("ptx_kernel ", "")
    ir = re.sub(r"llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.([xyz])", r"treadle_\1_\2", ir)
    ir = ir.replace("llvm.nvvm.read.ptx.sreg.laneid", "treadle_laneid").replace("llvm.nvvm.barrier0", "treadle_barrier")
    if rest := re.search(r"llvm\.nvvm\.[\w.]+", ir):
        raise Unportable(rest.group())
    return ir


def parameters_of(ir):
    """(name of the kernel, [(C type, name)]) from the kernel's definition."""
    name, text = SIGNATURE.search(ir).groups()
    found = []
    for parameter in re.findall(r"(\w+)(?: addrspace\(\d+\))?[^,%]*%([^,\s]+)", text):
        found.append((C_TYPES[parameter[0]], parameter[1].strip('"')))
    return name, found


def driver(kernel, parameters, has_barrier):
    registers = "".join(
        f"int treadle_{r}_{axis}(void) {{ return {r}[{k}]; }}\n" for r in REGISTERS for k, axis in enumerate("xyz")
    )
    text = DRIVER.replace("REGISTERS", registers).replace("KERNEL", kernel)
    text = text.replace("PARAMETERS", ", ".join(t for t, _ in parameters) or "void")
    text = text.replace("FIELDS", " ".join(f"{t} p{k};" for k, (t, _) in enumerate(parameters)) or "int none;")
    text = text.replace("VALUES", ", ".join(f"a->p{k}" for k in range(len(parameters))))
    return text.replace("HAS_BARRIER", "1" if has_barrier else "0")


def leaf(name, arguments):
    """The value of the parameter with that name, as PtxEntry names them."""
    base, _, rest = name.partition(".")
    value = arguments[base]
    if not hasattr(value, "ctypes"):
        return value
    kind, _, axis = rest.partition(".")
    return {"": lambda: value.ctypes.data, "shape": lambda: value.shape[int(axis)],
            "stride": lambda: value.strides[int(axis)]}[kind]()  # fmt: skip


def load(ir, folder):
    """A function launch(grid, block, {name: argument}) that runs the kernel of the IR."""
    kernel, parameters = parameters_of(ir)
    with tempfile.NamedTemporaryFile("w", suffix=".ll", dir=folder, delete=False) as code:
        code.write(portable(ir))
    source = Path(code.name).with_suffix(".c")
    source.write_text(driver(kernel, parameters, "barrier0" in ir))
    library = source.with_suffix(".so")
    command = [
        "clang-19",
        "-O1",
        "-w",
        "-fPIC",
        "-shared",
        "-pthread",
        "-x",
        "ir",
        code.name,
        "-x",
        "c",
        source,
        "-o",
        library,
        "-lm",
    ]
    subprocess.run(command, check=True, capture_output=True)
    entry = ctypes.CDLL(str(library)).treadle_launch
    types = {"void *": ctypes.c_void_p, "float": ctypes.c_float, "double": ctypes.c_double}
    fields = [(f"p{k}", types.get(t) or getattr(ctypes, "c_" + t[:-2])) for k, (t, _) in enumerate(parameters)]
    block_of = type("Block", (ctypes.Structure,), {"_fields_": fields or [("none", ctypes.c_int)]})

    def launch(grid, block, arguments):
        values = block_of(*(leaf(name, arguments) for _, name in parameters))
        entry((ctypes.c_int * 3)(*grid), (ctypes.c_int * 3)(*block), ctypes.byref(values))

    return launch
