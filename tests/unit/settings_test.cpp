// Settings: the table's rows match its enumeration, and the environment's text is parsed into values or errors.
#include "support/error.h"
#include "support/hash.h"
#include "support/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <string>

using namespace treadle;

namespace {

/// Sets an environment variable for one test; nullptr unsets it.
class Variable {
public:
  Variable(const char *name, const char *value) : name(name) {
    if (const char *present = std::getenv(name))
      before = present;
    set(value);
  }
  ~Variable() { set(before ? before->c_str() : nullptr); }
  Variable(const Variable &) = delete;
  Variable &operator=(const Variable &) = delete;
  void set(const char *value) const { value != nullptr ? setenv(name, value, 1) : unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

template <typename Read> std::string refusal(Read read) {
  try {
    read();
  } catch (const UsageError &error) {
    EXPECT_EQ(error.kind(), UsageError::Kind::Value);
    return error.what();
  }
  return "";
}

TEST(Settings, TableIsInOrderAndNamesEachVariableOnce) {
  std::set<std::string_view> names;
  size_t position = 0;
  for (const SettingRow &row : settingRows()) {
    EXPECT_EQ(static_cast<size_t>(row.setting), position++);
    EXPECT_TRUE(row.variable.starts_with("TREADLE_")) << row.variable;
    const bool isNumbas = row.numbaVariable.starts_with("NUMBA_") || row.numbaVariable == "CUDA_HOME";
    EXPECT_TRUE(row.numbaVariable.empty() || isNumbas) << row.numbaVariable;
    EXPECT_TRUE(names.insert(row.variable).second) << row.variable;
    EXPECT_TRUE(row.sentence.ends_with('.')) << row.variable;
  }
}

TEST(Settings, DefaultsHoldWhereNothingIsSet) {
  const Variable own("TREADLE_CPU_THREADS", nullptr);
  const Variable numba("NUMBA_NUM_THREADS", nullptr);
  const Variable text("TREADLE_DUMP", nullptr);
  EXPECT_EQ(settingInteger(Setting::CpuThreads), 0);
  EXPECT_EQ(settingText(Setting::Dump), "");
}

TEST(Settings, NumbasNameCountsAndOurOwnComesFirst) {
  const Variable own("TREADLE_CPU_THREADS", nullptr);
  const Variable numba("NUMBA_NUM_THREADS", "3");
  EXPECT_EQ(settingInteger(Setting::CpuThreads), 3);
  own.set("5");
  EXPECT_EQ(settingInteger(Setting::CpuThreads), 5);
  own.set("");
  EXPECT_EQ(settingInteger(Setting::CpuThreads), 3);
}

TEST(Settings, RefuseWhatIsNoInteger) {
  const Variable own("TREADLE_CPU_THREADS", "two");
  EXPECT_EQ(refusal([] { settingInteger(Setting::CpuThreads); }),
            "TREADLE_CPU_THREADS must be an integer, found 'two'");
  own.set("2x");
  EXPECT_EQ(refusal([] { settingInteger(Setting::CpuThreads); }), "TREADLE_CPU_THREADS must be an integer, found '2x'");
  own.set("99999999999999999999");
  EXPECT_NE(refusal([] { settingInteger(Setting::CpuThreads); }), "");
}

TEST(Settings, AskingForAnotherTypeIsOurBug) { EXPECT_THROW(settingText(Setting::CpuThreads), InternalError); }

TEST(Hash, DependsOnEveryByteAndTheLength) {
  const std::string text = "seventeen letters";
  std::set<uint64_t> hashes = {hashBytes(text), hashBytes(""), hashBytes(std::string(1, '\0')), hashBytes(text, 1)};
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    ++changed[i];
    hashes.insert(hashBytes(changed));
  }
  EXPECT_EQ(hashes.size(), 4 + text.size());
  EXPECT_EQ(hashBytes(text), hashBytes(std::string(text)));
}

} // namespace
