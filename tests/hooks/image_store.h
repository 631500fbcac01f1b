// Keeps the images of a process for another one, so that tests can run code that was compiled elsewhere.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to `module`:
/// - `record_images(folder)`: from now on every image that is generated is written there as well.
/// - `replay_images(folder)`: from now on nothing is generated: images come from there, in the order in which they were
///   recorded. What could not be written (`writeImage` says why) is generated.
/// - `images_seen()`: how many were wanted since, how many of them were generated, why some could not be written.
void addImageStore(nanobind::module_ &module);

} // namespace treadle::python
