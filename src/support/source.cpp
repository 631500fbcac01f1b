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

SourceSpan SourceText::wholeLine(uint32_t number) const {
  const std::string_view all = line(number);
  const size_t start = all.find_first_not_of(" \t"), end = all.find_last_not_of(" \t\r");
  if (start == all.npos)
    return {number, 0, number, 0};
  return {number, uint32_t(start), number, uint32_t(end + 1)};
}

} // namespace treadle
