// Where in the user's program the calling thread is.
#pragma once

#include <string>

namespace treadle::python {

/// "file.py:12": the innermost frame that is none of Treadle's own. Empty: there is none, or the thread does not hold
/// the GIL.
std::string placeInProgram();

} // namespace treadle::python
