// The calling thread's position in the user's program.
#pragma once

#include <string>

namespace treadle::python {

/// "file.py:12": the innermost frame outside of Treadle. Empty: there is none, or the thread does not hold the GIL.
std::string placeInProgram();

} // namespace treadle::python
