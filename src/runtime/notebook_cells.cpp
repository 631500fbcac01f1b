// As ipykernel calls them.
#include "runtime/notebook_cells.h"

#include <unistd.h>

namespace treadle {

std::string cellFolder() { return "/ipykernel_" + std::to_string(getpid()) + "/"; }

} // namespace treadle
