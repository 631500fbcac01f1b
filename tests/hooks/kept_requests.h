// Keeps what kernels are compiled from, so that benchmarks can compile them again and take the time.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::python {

/// Adds to `module`:
/// - `keep_requests()`: from now on everything that is compiled to CPU code is kept: the typed tree, the facts, the
///   target.
/// - `kept_requests()`: of each its (file, qualified name of the function, line in the file, features of the target),
/// in
///   the order in which they were compiled first.
/// - `generate_kept(index)`: compiles one of them again, from the typed tree; (seconds of processor time of all threads
///   of the process, the machine code without its constants).
void addKeptRequests(nanobind::module_ &module);

} // namespace treadle::python
