// Files named by a hash of their key, checked by another, and renamed into place.
#include "support/files/disk_store.h"

#include "support/background.h"
#include "support/clock.h"
#include "support/files/owned_file.h"
#include "support/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace treadle {

namespace {

constexpr std::string_view magic = "treadle1", temporary = ".new-", suffix = ".entry";
constexpr time_t oldTemporary = 3600, recentUse = 3600; ///< seconds

/// Precedes the key and the value.
struct Header {
  char magic[8];
  uint64_t keyBytes, valueBytes;
  uint64_t check[2]; ///< checksum of all the rest
};

/// Not open if it must not be used; `trouble` says why, and stays empty if there is no such folder.
OwnedFile openFolder(const std::string &name, std::string *trouble = nullptr) {
  OwnedFile folder(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::string why;
  if (folder)
    why = whyNotTrusted(folder.number, name);
  else if (errno != ENOENT)
    why = name + ": " + std::strerror(errno);
  if (trouble)
    *trouble = why;
  return why.empty() ? std::move(folder) : OwnedFile(-1);
}

/// Why an entry could not be written to the folder, which is created if missing; empty: nothing prevents it.
std::string whyNotWritten(const std::string &name) {
  std::filesystem::path path(name);
  std::error_code ignored;
  while (!std::filesystem::exists(path, ignored) && path.has_relative_path())
    path = path.parent_path();
  if (faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0)
    return {};
  const std::string why = std::strerror(errno);
  return path == name ? "nothing can be written to " + name + ": " + why
                      : name + " cannot be made: " + path.string() + ": " + why;
}

OwnedFile makeFolder(const std::string &name) {
  std::error_code ignored;
  const std::filesystem::path path(name);
  std::filesystem::create_directories(path.parent_path(), ignored);
  mkdir(name.c_str(), S_IRWXU);
  return openFolder(name);
}

std::string nameOf(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
  return std::string(text).append(suffix);
}

Header headerOf(std::string_view key, std::string_view value) {
  Header header{{}, key.size(), value.size(), {}};
  std::ranges::copy(magic, header.magic);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (!state)
    throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  for (const std::string_view part :
       {std::string_view(reinterpret_cast<const char *>(&header), sizeof header), key, value})
    XXH3_128bits_update(state.get(), part.data(), part.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  header.check[0] = hash.low64;
  header.check[1] = hash.high64;
  return header;
}

/// Unique among threads and processes, including containers that share the folder.
std::string temporaryName() {
  const uint64_t parts[] = {monotonicNanoseconds(), uint64_t(getpid()), uint64_t(gettid()), uint64_t(time(nullptr))};
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)XXH3_64bits(parts, sizeof parts));
  return std::string(temporary).append(text);
}

struct Entry {
  std::string name;
  uint64_t bytes;
  struct timespec used;
};

bool isOlder(const Entry &one, const Entry &other) {
  return std::pair(one.used.tv_sec, one.used.tv_nsec) < std::pair(other.used.tv_sec, other.used.tv_nsec);
}

/// Skips temporary files, and removes those whose writer is gone.
std::vector<Entry> entriesOf(int folder) {
  std::vector<Entry> entries;
  const std::unique_ptr<DIR, int (*)(DIR *)> list(fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
                                                  &closedir);
  while (const dirent *const one = list ? readdir(list.get()) : nullptr) {
    const std::string_view name = one->d_name;
    struct stat state;
    if (fstatat(folder, one->d_name, &state, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(state.st_mode))
      continue;
    if (name.ends_with(suffix))
      entries.push_back({std::string(name), uint64_t(state.st_size), state.st_mtim});
    else if (name.starts_with(temporary) && time(nullptr) - state.st_mtime > oldTemporary)
      unlinkat(folder, one->d_name, 0);
  }
  return entries;
}

uint64_t bytesOf(const std::vector<Entry> &entries) {
  uint64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.bytes;
  return bytes;
}

} // namespace

/// The value; nothing: the file is not the entry of that key.
std::optional<std::string> DiskStore::read(int file, std::string_view key) {
  struct stat state;
  Header header;
  if (fstat(file, &state) != 0 || !S_ISREG(state.st_mode) || !isTrusted(state) ||
      uint64_t(state.st_size) < sizeof header + key.size() ||
      readAll(file, {reinterpret_cast<char *>(&header), sizeof header}) != 0)
    return std::nullopt;
  const uint64_t valueBytes = uint64_t(state.st_size) - sizeof header - key.size();
  if (header.keyBytes != key.size() || header.valueBytes != valueBytes)
    return std::nullopt;
  std::string itsKey(key.size(), 0), value(valueBytes, 0);
  if (readAll(file, itsKey) != 0 || itsKey != key || readAll(file, value) != 0)
    return std::nullopt;
  const Header expected = headerOf(key, value);
  if (std::memcmp(&header, &expected, sizeof header) != 0)
    return std::nullopt;
  if (time(nullptr) - state.st_mtime > recentUse)
    futimens(file, nullptr); // marks the time of last use
  return value;
}

/// The queue is constructed first, so that forks take its lock first.
DiskStore::DiskStore(Place place) : place(std::move(place)) { Background::instance(); }

DiskStore::~DiskStore() { finish(); }

void DiskStore::finish() const { Background::instance().finish(this); }

std::optional<std::string> DiskStore::find(std::string_view key) {
  if (!isUsed())
    return std::nullopt;
  const std::string name = nameOf(key);
  Background::instance().finish(this, name);
  const OwnedFile folder = openFolder(place.folder);
  const OwnedFile file(folder ? openat(folder.number, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                              : -1);
  const bool isThere = file || (folder && errno == ELOOP);
  std::optional<std::string> value;
  if (file)
    value = read(file.number, key);
  if (isThere && !value) {
    refused.fetch_add(1, std::memory_order_relaxed);
    unlinkat(folder.number, name.c_str(), 0);
  }
  (value ? found : missed).fetch_add(1, std::memory_order_relaxed);
  return value;
}

void DiskStore::put(std::string_view key, std::string_view value) noexcept {
  const uint64_t bytes = sizeof(Header) + key.size() + value.size();
  if (!isUsed() || bytes > place.limitBytes)
    return;
  try {
    const OwnedFile folder = makeFolder(place.folder);
    if (!folder || !write(folder.number, key, value)) {
      failed.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    written.fetch_add(1, std::memory_order_relaxed);
    // The whole folder is scanned rarely: once in each process that writes, then as writes add up.
    const uint64_t before = unlooked.load(std::memory_order_relaxed);
    if (before > place.limitBytes / 16)
      trim(folder.number);
    else
      unlooked.fetch_add(bytes, std::memory_order_relaxed);
  } catch (const std::exception &) {
    failed.fetch_add(1, std::memory_order_relaxed);
  }
}

void DiskStore::putLater(std::string key, std::function<std::string()> make) noexcept {
  if (!isUsed())
    return;
  try {
    std::string name = nameOf(key);
    auto work = [this, key = std::move(key), make = std::move(make)] {
      try {
        if (const std::string value = make(); !value.empty())
          put(key, value);
      } catch (const std::exception &) {
        failed.fetch_add(1, std::memory_order_relaxed);
      }
    };
    if (Background::instance().add(this, std::move(name), std::move(work)))
      return;
  } catch (const std::bad_alloc &) {
    // The entry is not stored.
  }
  failed.fetch_add(1, std::memory_order_relaxed);
}

bool DiskStore::write(int folder, std::string_view key, std::string_view value) {
  const Header header = headerOf(key, value);
  const std::string name = temporaryName();
  const OwnedFile file(
      openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file)
    return false;
  const std::string_view front(reinterpret_cast<const char *>(&header), sizeof header);
  const auto write = [&file](std::string_view part) { return writeAll(file.number, part) == 0; };
  const bool isWritten =
      write(front) && write(key) && write(value) && renameat(folder, name.c_str(), folder, nameOf(key).c_str()) == 0;
  if (!isWritten)
    unlinkat(folder, name.c_str(), 0);
  return isWritten;
}

void DiskStore::trim(int folder) {
  std::vector<Entry> entries = entriesOf(folder);
  uint64_t bytes = bytesOf(entries);
  if (bytes > place.limitBytes) {
    std::ranges::sort(entries, isOlder);
    for (const Entry &entry : entries) {
      if (bytes <= place.limitBytes - place.limitBytes / 4)
        break;
      unlinkat(folder, entry.name.c_str(), 0);
      bytes -= entry.bytes;
    }
  }
  unlooked.store(0, std::memory_order_relaxed);
}

void DiskStore::remove(std::string_view key) noexcept {
  try {
    const std::string name = nameOf(key);
    Background::instance().finish(this, name);
    if (const OwnedFile folder = openFolder(place.folder))
      unlinkat(folder.number, name.c_str(), 0);
  } catch (const std::exception &) {
    // It stays, and is validated when it is next found.
  }
}

DiskStore::Counts DiskStore::counts() const {
  finish();
  const auto of = [](const std::atomic<uint64_t> &count) { return count.load(std::memory_order_relaxed); };
  return {of(found), of(missed), of(written), of(refused), of(failed)};
}

DiskStore::Content DiskStore::content() const {
  finish();
  Content content;
  const OwnedFile folder = openFolder(place.folder, &content.trouble);
  if (content.trouble.empty())
    content.trouble = whyNotWritten(place.folder);
  if (!folder)
    return content;
  const std::vector<Entry> entries = entriesOf(folder.number);
  content.entries = entries.size();
  content.bytes = bytesOf(entries);
  return content;
}

DiskStore::Place codeCachePlace(std::string_view kind) {
  std::string folder = settingText(Setting::CodeCacheFolder);
  if (folder.empty())
    folder = userCacheFolder();
  if (!folder.empty())
    folder.append("/").append(kind);
  return {std::move(folder), uint64_t(std::max<int64_t>(settingInteger(Setting::CodeCacheLimit), 0))};
}

} // namespace treadle
