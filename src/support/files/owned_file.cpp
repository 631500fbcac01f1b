// Calls that are repeated until all bytes have been transferred.
#include "support/files/owned_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>

namespace treadle {

namespace {

std::string meaning(int error) { return std::generic_category().message(error); }

bool isForeign(const struct stat &state) { return state.st_uid != geteuid() && state.st_uid != 0; }
bool isOpenToOthers(const struct stat &state) { return (state.st_mode & (S_IWGRP | S_IWOTH)) != 0; }

} // namespace

bool isTrusted(const struct stat &state) { return !isForeign(state) && !isOpenToOthers(state); }

std::string whyNotTrusted(int file, const std::string &name) {
  struct stat state;
  if (fstat(file, &state) != 0)
    return name + ": " + meaning(errno);
  if (isForeign(state))
    return name + " belongs to another user";
  if (isOpenToOthers(state))
    return name + " can be written by others: take that from them (chmod go-w)";
  return {};
}

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

std::string readFile(const std::string &path, std::string &bytes) {
  struct stat state;
  const OwnedFile file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file || fstat(file.number, &state) != 0)
    return meaning(errno);
  if (!S_ISREG(state.st_mode))
    return S_ISDIR(state.st_mode) ? "it is a folder" : "it is no regular file";
  bytes.resize(size_t(state.st_size));
  const int error = readAll(file.number, bytes);
  return error == 0 ? std::string() : meaning(error);
}

} // namespace treadle
