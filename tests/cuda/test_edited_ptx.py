"""TREADLE_OVERRIDE on the CUDA device: PTX that was dumped and edited runs in place of what is compiled."""

import runs

LAUNCH = """
x = zeros()
add[1, 128](x, 1)
print(x.copy_to_host()[0])
"""


def test_edited_ptx_runs(tmp_path):
    folder = str(tmp_path)
    assert runs.run(LAUNCH, TREADLE_DUMP=folder) == "1.0\n"
    (ptx,) = tmp_path.glob("add.*.ptx.txt")
    text = ptx.read_text()
    assert text.count("add.f64") == 1
    ptx.write_text(text.replace("add.f64", "mul.f64"))
    assert runs.run(LAUNCH, TREADLE_OVERRIDE=folder) == "0.0\n"
    assert runs.run(LAUNCH) == "1.0\n"
