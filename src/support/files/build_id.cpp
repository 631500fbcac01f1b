// The id that libtreadle.so was built with.
#include "support/files/build_id.h"

namespace treadle {

const char *buildId() { return ownBuildId; }

} // namespace treadle
