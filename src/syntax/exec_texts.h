// ExecTexts: texts that were compiled without a file, so that functions made by exec() can be compiled as kernels.
#pragma once

#include "support/export.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The last 4 MB of texts, oldest first. A text that is held lives beyond that. Locks itself: interpreters of one
/// process may have a GIL each.
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
  std::mutex mutex;
  std::deque<Entry> entries; ///< guarded by mutex, as is `used`
  size_t used = 0;
};

} // namespace treadle
