// Reads the environment according to the table of settings.
#include "support/settings.h"

#include "support/error.h"

#include <charconv>
#include <cstdlib>

namespace treadle {

namespace {

constexpr SettingRow rows[] = {
#define TREADLE_ROW(name, type, defaultText, variable, numba, sentence)                                                \
  {Setting::name, SettingType::type, defaultText, variable, numba, sentence},
    TREADLE_SETTINGS(TREADLE_ROW)
#undef TREADLE_ROW
};

/// The text found in the environment, and its variable; the default's text where none is set.
struct Found {
  std::string_view variable;
  std::string text;
};

Found find(Setting setting, SettingType wanted) {
  const SettingRow &row = rows[size_t(setting)];
  TREADLE_CHECK(row.setting == setting && row.type == wanted);
  for (std::string_view variable : {row.variable, row.numbaVariable}) {
    if (variable.empty())
      continue;
    if (const char *text = std::getenv(std::string(variable).c_str()); text && *text != '\0')
      return {variable, text};
  }
  return {row.variable, std::string(row.defaultText)};
}

[[noreturn]] void refuse(const Found &found, std::string_view expected) {
  throw UsageError(UsageError::Kind::Value,
                   std::string(found.variable) + " must be " + std::string(expected) + ", found '" + found.text + "'");
}

} // namespace

std::span<const SettingRow> settingRows() { return rows; }

std::string settingText(Setting setting) { return find(setting, SettingType::Text).text; }

int64_t settingInteger(Setting setting) {
  const Found found = find(setting, SettingType::Integer);
  int64_t value = 0;
  const char *end = found.text.data() + found.text.size();
  const auto [stopped, failure] = std::from_chars(found.text.data(), end, value);
  if (failure != std::errc() || stopped != end)
    refuse(found, "an integer");
  return value;
}

double settingReal(Setting setting) {
  const Found found = find(setting, SettingType::Real);
  double value = 0;
  const char *end = found.text.data() + found.text.size();
  const auto [stopped, failure] = std::from_chars(found.text.data(), end, value);
  if (failure != std::errc() || stopped != end || !(value >= 0))
    refuse(found, "a number from 0 on");
  return value;
}

} // namespace treadle
