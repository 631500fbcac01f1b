// Calls that are made again for what is left.
#include "support/owned_file.h"

#include <cerrno>

namespace treadle {

int readAll(int file, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got < 0 ? errno : EIO;
    bytes = bytes.subspan(size_t(got));
  }
  return 0;
}

int writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return put < 0 ? errno : EIO;
    bytes.remove_prefix(size_t(put));
  }
  return 0;
}

} // namespace treadle
