// Lines of a SourceText.
#include "support/source.h"

namespace treadle {

std::string_view SourceText::line(uint32_t number) const {
  if (number < firstLine)
    return {};
  std::string_view rest = text;
  for (uint32_t current = firstLine; current < number; ++current) {
    const size_t lineBreak = rest.find('\n');
    if (lineBreak == std::string_view::npos)
      return {};
    rest.remove_prefix(lineBreak + 1);
  }
  std::string_view found = rest.substr(0, rest.find('\n'));
  if (found.ends_with('\r'))
    found.remove_suffix(1);
  return found;
}

} // namespace treadle
