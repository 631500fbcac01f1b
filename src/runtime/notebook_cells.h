// Notebook cells: their code appears to be in files whose names contain the process id.
#pragma once

#include "support/export.h"

#include <string>

namespace treadle {

/// The part that is in the file names of this process's cells only: "/ipykernel_123/".
TREADLE_API std::string cellFolder();

} // namespace treadle
