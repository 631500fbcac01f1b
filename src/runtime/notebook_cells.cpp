// As ipykernel calls them.
#include "runtime/notebook_cells.h"

#include <fmt/core.h>
#include <unistd.h>

namespace treadle {

std::string cellFolder() { return fmt::format("/ipykernel_{}/", getpid()); }

} // namespace treadle
