// ExecTexts: texts compiled without a file, so that functions made by exec() can be compiled as kernels.
#pragma once

#include "support/export.h"
#include "support/fork_gate.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The last 4 MB of texts, oldest first. Texts with other owners live longer. Has its own lock: interpreters in one
/// process may have separate GILs.
class ExecTexts {
public:
  using Text = std::shared_ptr<const std::string>;

  /// Nothing where `file` is the name of a file.
  TREADLE_API void add(std::string_view file, std::string_view text);
  /// Those under that name that contain `needle`, latest first, at most `limit` of them; 0: all.
  TREADLE_API std::vector<Text> find(std::string_view file, std::string_view needle, size_t limit);

private:
  struct Entry {
    uint64_t hash;
    std::string file;
    Text text;
  };
  ForkMutex mutex;
  std::deque<Entry> entries; ///< guarded by mutex, as is `used`
  size_t used = 0;
};

} // namespace treadle
