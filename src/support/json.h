// Text in JSON.
#pragma once

#include "support/export.h"

#include <string>
#include <string_view>

namespace treadle {

/// In quotes. Bytes that are no UTF-8 become U+FFFD, one for each.
TREADLE_API std::string jsonText(std::string_view text);

} // namespace treadle
