// Host pages, and memfds that replace them. Another process opens such a file through /proc by process id and
// descriptor, so nothing remains when the process ends.
#include "device/cpu/threads/page_memory.h"

#include "support/error.h"
#include "support/files/owned_file.h"
#include "support/piece.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle::cpu {

namespace {

constexpr size_t page = 4096, alignment = 256;
constexpr size_t colours = page / alignment;
constexpr uint64_t magic = 0x0032'4350'4945'4454;

/// The content of SharedHandle::bytes.
struct Payload {
  uint64_t magic;
  int64_t process;
  int64_t file;   ///< of the process
  uint64_t inode; ///< that the file must have, as descriptors are reused
  uint64_t pageBytes;
  uint64_t skew;  ///< offset of the allocation in its pages
  uint64_t bytes; ///< of the allocation
  /// Whether the allocation fits its pages. Handles come from other processes and are untrusted.
  bool isPossible() const {
    return skew < page && skew % alignment == 0 && isPiece(skew, bytes, pageBytes) && pageBytes % page == 0;
  }
};
static_assert(sizeof(Payload) <= sizeof(SharedHandle::bytes));

size_t roundUp(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

[[noreturn]] void fail(const char *operation, CudaResult result, const std::string &reason) {
  throw DeviceError(operation, result, reason);
}

std::string reasonOf(int error) { return std::strerror(error); } // NOLINT(concurrency-mt-unsafe)

int openFileOf(const Payload &payload) {
  constexpr const char *operation = "open memory of another process";
  const std::string path = fmt::format("/proc/{}/fd/{}", payload.process, payload.file);
  OwnedFile file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number < 0 && (errno == EACCES || errno == EPERM))
    fail(operation, CudaResult::InvalidContext,
         "the system does not let this process do that: both must be processes of one user");
  struct stat status{};
  if (file.number < 0 || fstat(file.number, &status) != 0 || status.st_ino != payload.inode ||
      size_t(status.st_size) != payload.pageBytes)
    fail(operation, CudaResult::InvalidHandle,
         fmt::format("process {} does not share it any more: its array and handle must live, and the process itself",
                     payload.process));
  return file.keep();
}

} // namespace

PageMemory::PageMemory()
    : atForks(this, {[](void *memory) { static_cast<PageMemory *>(memory)->mutex.lock(); },
                     [](void *memory) { static_cast<PageMemory *>(memory)->mutex.unlock(); },
                     [](void *memory) { static_cast<PageMemory *>(memory)->mutex.unlock(); }}) {}

/// Allocations start at varying offsets in their first page, so that arrays of the same size do not compete for the
/// same cache sets.
char *PageMemory::allocate(size_t bytes) {
  const std::lock_guard lock(mutex);
  const size_t skew = colour++ % colours * alignment;
  const size_t pageBytes = roundUp(std::max<size_t>(bytes, 1) + skew, page);
  auto *const pages = pageBytes < bytes ? nullptr : static_cast<char *>(std::aligned_alloc(page, pageBytes));
  if (!pages)
    return nullptr;
  blocks.emplace(pages + skew, Block{bytes, pages, pageBytes});
  return pages + skew;
}

/// The allocator gets back private pages.
void PageMemory::release(char *memory) noexcept {
  const std::lock_guard lock(mutex);
  const auto found = blocks.find(memory);
  const Block block = found->second;
  blocks.erase(found);
  if (block.file >= 0) {
    ::close(block.file);
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (mmap(block.pages, block.pageBytes, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
      return; // leaked, but still shared: safer than changing pages that other processes see
  }
  std::free(block.pages);
}

PageMemory::Blocks::const_iterator PageMemory::find(char *memory) const {
  auto next = blocks.upper_bound(memory);
  if (next == blocks.begin())
    return blocks.end();
  --next;
  return memory < next->first + std::max<size_t>(next->second.bytes, 1) ? next : blocks.end();
}

std::span<char> PageMemory::around(char *memory) const {
  const std::lock_guard lock(mutex);
  const auto found = find(memory);
  if (found == blocks.end())
    return {};
  return {found->first, found->second.bytes};
}

int PageMemory::moveToFile(const Block &block) {
  constexpr const char *operation = "share memory with other processes";
  OwnedFile file(memfd_create("treadle", MFD_CLOEXEC));
  const int error = file ? writeAll(file.number, {block.pages, block.pageBytes}) : errno;
  if (error != 0)
    fail(operation, CudaResult::OutOfMemory, reasonOf(error));
  if (mmap(block.pages, block.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.number, 0) == MAP_FAILED)
    fail(operation, CudaResult::OutOfMemory, reasonOf(errno));
  return file.keep();
}

SharedHandle PageMemory::share(char *memory) {
  const std::lock_guard lock(mutex);
  const auto found = find(memory);
  if (found == blocks.end())
    fail("share memory with other processes", CudaResult::InvalidValue,
         "it is no memory of the CPU device: arrays of device_array() and to_device() can be shared");
  Block &block = blocks[found->first];
  if (block.file < 0)
    block.file = moveToFile(block);
  struct stat status{};
  fstat(block.file, &status);
  const Payload payload{
      magic, getpid(), block.file, status.st_ino, block.pageBytes, uint64_t(found->first - block.pages), block.bytes};
  SharedHandle handle{.offset = size_t(memory - found->first)};
  std::memcpy(handle.bytes.data(), &payload, sizeof payload);
  return handle;
}

char *PageMemory::open(const SharedHandle &handle, size_t bytes) {
  constexpr const char *operation = "open memory of another process";
  Payload payload;
  std::memcpy(&payload, handle.bytes.data(), sizeof payload);
  if (payload.magic != magic || !payload.isPossible())
    fail(operation, CudaResult::InvalidHandle, "the handle is none of the CPU device's");
  if (payload.process == getpid())
    fail(operation, CudaResult::InvalidContext, "it belongs to this process: use the array itself");
  if (!isPiece(handle.offset, bytes, payload.bytes))
    fail(operation, CudaResult::InvalidValue,
         fmt::format("{} bytes from {} on are wanted, and the allocation has {}", bytes, handle.offset, payload.bytes));
  const OwnedFile file(openFileOf(payload));
  void *const pages = mmap(nullptr, payload.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (pages == MAP_FAILED)
    fail(operation, CudaResult::OutOfMemory, reasonOf(errno));
  const std::span mapping(static_cast<char *>(pages), payload.pageBytes);
  char *const memory = mapping.data() + payload.skew;
  const std::lock_guard lock(mutex);
  opened.emplace(memory, mapping);
  return memory;
}

void PageMemory::close(char *memory) {
  const std::lock_guard lock(mutex);
  const auto found = opened.find(memory);
  TREADLE_CHECK(found != opened.end());
  munmap(found->second.data(), found->second.size());
  opened.erase(found);
}

} // namespace treadle::cpu
