// Quotes text for JSON.
#include "support/text/json.h"

#include "support/utf8.h"

#include <cstdio>

namespace treadle {

std::string jsonText(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const auto [code, bytes, isValid] = firstCharacter(text);
    const char c = text[0];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (isValid && (code < 0x20 || code == 0x7f)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      quoted += escape;
    } else if (!isValid) {
      quoted += "\\ufffd";
    } else {
      quoted += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return quoted + '"';
}

JsonFields &JsonFields::addValue(std::string_view name, std::string_view value) {
  return addFields(jsonText(name).append(":").append(value));
}

JsonFields &JsonFields::addFields(std::string_view more) {
  if (!more.empty())
    fields.append(fields.empty() ? "" : ",").append(more);
  return *this;
}

} // namespace treadle
