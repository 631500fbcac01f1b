"""The number of the interface that image files have (`imageInterface`) and what it stands for."""

import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What an image means to the library that loads it.
SOURCES = (
    "src/border/code_symbols.h", "src/border/error_record.h", "src/border/fault.h", "src/border/field_bytes.cpp",
    "src/border/field_bytes.h", "src/border/image.h", "src/border/image_file.cpp", "src/border/kernel_abi.h",
    "src/border/linked_layout.h", "src/border/parameter_layout.h", "src/border/target.h", "src/types/facts.h",
    "src/types/facts.inc",
)  # fmt: skip
# The hash of these without comments, spaces and includes, by the number that they were last looked at under. Whoever
# changes one of them decides: existing files still mean the same, or the number grows. Either way the hash is new.
KNOWN = {3: "80c2c878ad90c9df"}


def code(text):
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*|^#include [^\n]*", "", text, flags=re.M))


def test_the_number_is_looked_at_when_images_change():
    text = (ROOT / "src/border/image_file.h").read_text()
    number = int(re.search(r"imageInterface = (\d+);", text)[1])
    found = hashlib.sha256("".join(code((ROOT / path).read_text()) for path in SOURCES).encode()).hexdigest()[:16]
    assert {number: found} == KNOWN, (
        f"what images mean may have changed: let imageInterface grow if older files would be read wrongly, then write "
        f"{{{number}: {found!r}}} here"
    )
