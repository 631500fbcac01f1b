"""stumpy on two CPU devices. It spawns a process for each device except the last: those are redirected too."""

import pytest

# Only the first process imports and computes here: the others import what they are asked for.
PROGRAM = """
if __name__ == "__main__":
    import sys
    import numpy as np
    import stumpy
    from numba import cuda

    devices = [device.id for device in cuda.list_devices()]
    assert devices == [0, 1]
    random = np.random.default_rng(0)
    x, y = random.uniform(-1000, 1000, 300), random.uniform(-1000, 1000, 200)

    def pan(function, device_id):
        profile = function(x, 8, 10, device_id=device_id)
        profile.update()
        return profile.PAN_

    # Of two series the motif is equally central in both: only how close they are is not a matter of rounding.
    calls = {
        "gpu_stump": lambda function, id: function(x, 10, device_id=id),
        "gpu_aamp": lambda function, id: function(x, 10, T_B=y, ignore_trivial=False, device_id=id, k=3),
        "gpu_mpdist": lambda function, id: function(x, y, 10, device_id=id),
        "gpu_aampdist": lambda function, id: function(x, y, 10, device_id=id),
        "gpu_ostinato": lambda function, id: function([x, y], 10, device_id=id)[0],
        "gpu_aamp_ostinato": lambda function, id: function([x, y], 10, device_id=id)[0],
        "gpu_stimp": pan,
        "gpu_aamp_stimp": pan,
    }
    for name in sys.argv[1:]:
        function, call = getattr(stumpy, name), calls[name]
        one, other, both = (np.asarray(call(function, id), dtype=np.float64) for id in (0, 1, devices))
        assert (one == other).all(), name
        np.testing.assert_almost_equal(both, one, decimal=stumpy.config.STUMPY_TEST_PRECISION, err_msg=name)
        print(name)
"""

FAMILIES = {
    "normalized": ["gpu_stump", "gpu_mpdist", "gpu_ostinato", "gpu_stimp"],
    "not normalized": ["gpu_aamp", "gpu_aampdist", "gpu_aamp_ostinato", "gpu_aamp_stimp"],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_two_devices_give_what_one_gives(redirected, family):
    assert redirected(PROGRAM, *FAMILIES[family], TREADLE_CPU_DEVICES="2").split() == FAMILIES[family]
