// The count of ShortMutex acquisitions of a thread, in builds with assertions.
#include "support/short_mutex.h"

namespace treadle {

#ifndef NDEBUG
constinit thread_local uint64_t shortMutexesTaken = 0;
#endif

} // namespace treadle
