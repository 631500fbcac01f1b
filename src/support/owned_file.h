// OwnedFile: a descriptor that is closed with its owner; and all bytes of a file, where the system gives or takes
// parts.
#pragma once

#include "support/export.h"

#include <span>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace treadle {

class OwnedFile {
public:
  /// Below 0: none.
  explicit OwnedFile(int number) : number(number) {}
  OwnedFile(OwnedFile &&other) noexcept : number(other.keep()) {}
  OwnedFile(const OwnedFile &) = delete;
  OwnedFile &operator=(const OwnedFile &) = delete;
  ~OwnedFile() {
    if (number >= 0)
      ::close(number);
  }
  explicit operator bool() const { return number >= 0; }
  /// It is the caller's to close.
  int keep() { return std::exchange(number, -1); }

  int number;
};

/// From the file's place on. These return 0, or the number of the system's error; EIO where the file ends too early.
TREADLE_API int readAll(int file, std::span<char> bytes);
TREADLE_API int writeAll(int file, std::string_view bytes);

} // namespace treadle
