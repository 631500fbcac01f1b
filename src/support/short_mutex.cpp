// The count of ShortMutexes that a thread has taken, in builds with assertions.
#include "support/short_mutex.h"

namespace treadle {

#ifndef NDEBUG
constinit thread_local uint64_t shortMutexesTaken = 0;
#endif

} // namespace treadle
