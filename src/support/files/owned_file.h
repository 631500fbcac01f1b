// OwnedFile: a descriptor that is closed with its owner; and complete reads and writes.
#pragma once

#include "support/export.h"

#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace treadle {

class OwnedFile {
public:
  /// Negative: none.
  explicit OwnedFile(int number) : number(number) {}
  OwnedFile(OwnedFile &&other) noexcept : number(other.keep()) {}
  OwnedFile(const OwnedFile &) = delete;
  OwnedFile &operator=(const OwnedFile &) = delete;
  ~OwnedFile() {
    if (number >= 0)
      ::close(number);
  }
  explicit operator bool() const { return number >= 0; }
  /// Releases the descriptor; the caller closes it.
  int keep() { return std::exchange(number, -1); }

  int number;
};

/// Whether the content of a file or folder can be trusted: only this user and root can have written it.
TREADLE_API bool isTrusted(const struct stat &state);
/// Why an open file or folder is not trusted; empty: it is.
TREADLE_API std::string whyNotTrusted(int file, const std::string &name);

/// From the file's current offset. These return 0 or an errno; EIO if the file ends too early.
TREADLE_API int readAll(int file, std::span<char> bytes);
TREADLE_API int writeAll(int file, std::string_view bytes);

/// The whole of a regular file into `bytes`; "", or why that is not possible ("Permission denied", "it is a folder").
/// Nothing else is opened for reading: pipes and terminals would have the caller wait.
TREADLE_API std::string readFile(const std::string &path, std::string &bytes);

} // namespace treadle
