// Runs kept images without a dispatcher, as programs do that never compile anything.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to `module`: `run_image(path, (blocks, threads), arrays, captured)`: runs the kernel of an image's file on the
/// default stream, over arrays of one dimension, each (address, bytes of an element, elements), with captured device
/// arrays at these addresses; gives what it prints. `load_image(path)`: seconds that loading it takes, from its bytes.
void addImageRuns(nanobind::module_ &module);

} // namespace treadle::python
