// Reads the environment according to the table of settings.
#include "support/settings.h"

#include "support/error.h"
#include "support/fork_gate.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <mutex>

namespace treadle {

namespace {

constexpr SettingRow rows[] = {
#define TREADLE_ROW(name, type, defaultText, variable, numba, sentence)                                                \
  {Setting::name, SettingType::type, defaultText, variable, numba, sentence},
    TREADLE_SETTINGS(TREADLE_ROW)
#undef TREADLE_ROW
};

/// What was set by `setSetting`.
class SettingTexts {
public:
  static SettingTexts &instance() {
    static SettingTexts *const texts = new SettingTexts; // threads read settings until the process ends
    return *texts;
  }

  void set(Setting setting, SettingSource source, std::string text) {
    const std::lock_guard lock(mutex);
    texts[size_t(source)][size_t(setting)] = std::move(text);
    changes.fetch_add(1);
  }
  std::string get(Setting setting, SettingSource source) const {
    if (changes.load() == 0) [[likely]]
      return "";
    const std::lock_guard lock(mutex);
    return texts[size_t(source)][size_t(setting)];
  }
  uint64_t version() const { return changes.load(std::memory_order_relaxed); }

private:
  mutable ForkMutex mutex;
  std::array<std::string, std::size(rows)> texts[2]; ///< guarded by `mutex`
  std::atomic<uint64_t> changes{0};
};

using Found = SettingState;

Found find(Setting setting, SettingType wanted) {
  TREADLE_CHECK(rows[size_t(setting)].type == wanted);
  return settingState(setting);
}

[[noreturn]] void refuse(const Found &found, std::string_view expected) {
  throw UsageError(UsageError::Kind::Value,
                   std::string(found.variable) + " must be " + std::string(expected) + ", found '" + found.text + "'");
}

/// The whole text, as a number.
template <typename Number> Number numberIn(const Found &found, std::string_view expected) {
  Number value = 0;
  const char *end = found.text.data() + found.text.size();
  const auto [stopped, failure] = std::from_chars(found.text.data(), end, value);
  if (failure != std::errc() || stopped != end)
    refuse(found, expected);
  return value;
}

} // namespace

SettingState settingState(Setting setting) {
  using Origin = SettingState::Origin;
  const SettingRow &row = rows[size_t(setting)];
  TREADLE_CHECK(row.setting == setting);
  const SettingTexts &given = SettingTexts::instance();
  if (std::string text = given.get(setting, SettingSource::Program); !text.empty())
    return {Origin::Program, row.variable, std::move(text)};
  for (std::string_view variable : {row.variable, row.numbaVariable}) {
    if (variable.empty())
      continue;
    if (const char *text = std::getenv(std::string(variable).c_str()); text && *text != '\0')
      return {Origin::Environment, variable, text};
  }
  if (std::string text = given.get(setting, SettingSource::File); !text.empty())
    return {Origin::File, row.variable, std::move(text)};
  return {Origin::Default, row.variable, std::string(row.defaultText)};
}

std::span<const SettingRow> settingRows() { return rows; }

void setSetting(Setting setting, SettingSource source, std::string text) {
  SettingTexts::instance().set(setting, source, std::move(text));
}

uint64_t settingsVersion() { return SettingTexts::instance().version(); }

std::string settingText(Setting setting) { return find(setting, SettingType::Text).text; }

int64_t settingInteger(Setting setting) { return numberIn<int64_t>(find(setting, SettingType::Integer), "an integer"); }

unsigned settingCapability(Setting setting) {
  const Found found = find(setting, SettingType::Text);
  if (found.text.empty())
    return 0;
  unsigned major = 0, minor = 0;
  const char *const end = found.text.data() + found.text.size();
  const auto [point, failure] = std::from_chars(found.text.data(), end, major);
  if (failure != std::errc() || point == end || *point != '.')
    refuse(found, "a compute capability such as 8.0");
  const auto [stopped, trouble] = std::from_chars(point + 1, end, minor);
  if (trouble != std::errc() || stopped != end || minor > 9)
    refuse(found, "a compute capability such as 8.0");
  return major * 10 + minor;
}

std::string userCacheFolder() {
  const auto folderOf = [](const char *variable) {
    const char *const text = std::getenv(variable);
    return text && *text == '/' ? std::string(text) : std::string();
  };
  if (const std::string folder = folderOf("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/treadle";
  const std::string home = folderOf("HOME");
  return home.empty() ? home : home + "/.cache/treadle";
}

double settingReal(Setting setting) {
  const Found found = find(setting, SettingType::Real);
  constexpr std::string_view expected = "a number from 0 on";
  const auto value = numberIn<double>(found, expected);
  if (!(value >= 0))
    refuse(found, expected);
  return value;
}

} // namespace treadle
