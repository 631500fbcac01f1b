"""Narrow doors: how many functions an interface has, and that nobody asks which kind of device it is."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_VIRTUALS = 20
MOST_METHODS = 40
METHOD = re.compile(r"^  (?!//|using |friend |return )[^\n ][^\n(]*?[\w~]\(", re.M)
CLASS = re.compile(r"^(?:class|struct) (?:\w+ )*?(\w+)(?: final)?(?: :[^{]*)? \{\n(.*?)^\};", re.M | re.S)
KIND = re.compile(r"""kind\w*\([^)]*\)\)* *[=!]= *["'](?:CUDA|CPU)["']|["'](?:CUDA|CPU)["'] *[=!]=""")


def test_interfaces_are_narrow():
    """Of a header, not only of each class: who includes one sees all of them."""
    widths = {
        str(path.relative_to(ROOT)): len(re.findall(r"\bvirtual\b", path.read_text()))
        for path in (ROOT / "src").rglob("*.h")
    }
    assert widths["src/device/device.h"] > 10  # the pattern finds functions
    assert {name: width for name, width in widths.items() if width > MOST_VIRTUALS} == {}


def test_classes_of_inference_are_narrow():
    """A part does one thing: what it needs is in its constructor, the rest asks it by its name."""
    widths = {
        name: len(METHOD.findall(body))
        for path in (ROOT / "src/infer").rglob("*.h")
        for name, body in CLASS.findall(path.read_text())
    }
    assert widths["Tree"] > 20  # the pattern finds methods
    assert {name: width for name, width in widths.items() if width > MOST_METHODS} == {}


def test_no_kind_of_device_is_compared():
    """What a device can is asked, or which parts it has: a third kind would be both or neither."""
    assert KIND.search('if (device->kind() == "CUDA")') and KIND.search('_core.device_kind(here) != "CPU"')
    places = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder, suffix in (("src", "*.cpp"), ("src", "*.h"), ("python", "*.py"))
        for path in (ROOT / folder).rglob(suffix)
        for line in path.read_text().splitlines()
        if KIND.search(line)
    ]
    assert not places
