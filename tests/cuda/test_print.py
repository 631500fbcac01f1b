"""print() on a CUDA device: more values than one call of vprintf takes."""

import runs


def test_more_values_than_one_call_takes():
    names = ", ".join(f"x[{i}]" for i in range(70))
    program = f"""
TEXT = '''def many(x, z):
    print({names}, "end", z)
'''
exec(compile(TEXT, "<many>", "exec"))
cuda.jit(many)[1, 1](cuda.to_device(np.arange(70)), 1.5 + 2j)
cuda.synchronize()
"""
    expected = " ".join(map(str, range(70))) + " end (1.500000+2.000000j)"
    assert runs.run(program).splitlines() == [expected]
