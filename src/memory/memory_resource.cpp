// Anchors the abstract class in this library.
#include "memory/memory_resource.h"

namespace treadle {

MemoryResource::~MemoryResource() = default;

} // namespace treadle
