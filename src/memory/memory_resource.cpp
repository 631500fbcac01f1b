// Key function of the abstract class: its vtable is emitted in this library.
#include "memory/memory_resource.h"

namespace treadle {

MemoryResource::~MemoryResource() = default;

} // namespace treadle
