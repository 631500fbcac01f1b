// Text in JSON, and the fields of an object.
#pragma once

#include "support/export.h"

#include <concepts>
#include <string>
#include <string_view>

namespace treadle {

/// In quotes. Each invalid byte becomes U+FFFD.
TREADLE_API std::string jsonText(std::string_view text);

/// The fields of an object in the order in which they are added.
class JsonFields {
public:
  JsonFields &add(std::string_view name, std::string_view text) { return addValue(name, jsonText(text)); }
  JsonFields &add(std::string_view name, std::integral auto number) { return addValue(name, std::to_string(number)); }
  JsonFields &add(std::string_view name, const JsonFields &object) { return addValue(name, object.asObject()); }
  /// `value` is JSON.
  TREADLE_API JsonFields &addValue(std::string_view name, std::string_view value);
  /// Fields that are JSON already, with commas between them; may be empty.
  TREADLE_API JsonFields &addFields(std::string_view fields);
  std::string asObject() const { return "{" + fields + "}"; }
  const std::string &withoutBraces() const { return fields; }

private:
  std::string fields;
};

} // namespace treadle
