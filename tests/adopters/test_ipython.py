"""Kernels of cells, as IPython itself compiles them: under magics, and beside `await`."""

import pytest

DEFINED = """@cuda.jit
def kernel(a):
    a[cuda.grid(1)] = 3
x = np.zeros(2)
kernel[1, 2](x)
assert x.tolist() == [3, 3]
"""
DEVICE = """@cuda.jit(device=True)
def increased(v):
    return v + 1
kernel = cuda.jit(lambda a: a.fill(increased(2)))
x = np.zeros(2)
kernel[1, 2](x)
assert x.tolist() == [3, 3]
"""
AWAITED = """async def run():
    @cuda.jit
    def kernel(a):
        a[cuda.grid(1)] = 7
    x = np.zeros(2)
    kernel[1, 2](x)
    return x.tolist()
assert await run() == [7, 7]
"""
MAGICS = [
    "",
    "%%capture out\n",
    "%%prun -q\n",
    "%%time\n",
    "%%timeit -n1 -r1\n",
    "%matplotlib --list\n",
    "v = !echo 1\n",
]


@pytest.fixture(scope="module")
def cell():
    pytest.importorskip("IPython", reason="ipython is not installed here: ./dev test adopters does")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_cell("import asyncio\nimport numpy as np\nfrom treadle import cuda")

    def run(text):
        result = shell.run_cell(text)
        result.raise_error()

    yield run
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("text", [DEFINED, DEVICE])
@pytest.mark.parametrize("magic", MAGICS)
def test_cells_under_magics(cell, magic, text):
    cell(magic + text)


@pytest.mark.parametrize("text", ["await asyncio.sleep(0)\n" + DEFINED, DEVICE + "await asyncio.sleep(0)\n", AWAITED])
def test_cells_with_await(cell, text):
    cell(text)


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n1 -r1"])
def test_a_cell_that_imports_treadle_itself(magic):
    """In a process of its own: nothing has recorded the cell's text before."""
    pytest.importorskip("IPython", reason="ipython is not installed here: ./dev test adopters does")
    import subprocess
    import sys

    text = f"{magic}\nimport numpy as np\nfrom treadle import cuda\n{DEFINED}"
    program = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"InteractiveShell.instance().run_cell({text!r}).raise_error()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
