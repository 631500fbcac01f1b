// PageMemory: allocations, and what other processes see of them.
#include "device/cpu/threads/page_memory.h"
#include "support/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle::cpu {
namespace {

/// Whether the function returns true in a child of a fork, which is another process.
bool holdsInChild(const std::function<bool()> &check) {
  const pid_t child = fork();
  if (child == 0)
    _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

CudaResult resultOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const DeviceError &error) {
    return error.result();
  }
  return CudaResult(0);
}

TEST(PageMemory, AllocationsAreAlignedAndApart) {
  PageMemory memory;
  std::set<char *> given;
  for (const size_t bytes : {0, 1, 255, 256, 4096, 5000, 100'000}) {
    char *const one = memory.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(one) % 256, 0u);
    std::memset(one, 1, bytes);
    EXPECT_TRUE(given.insert(one).second);
    EXPECT_EQ(memory.around(one).data(), one);
    EXPECT_EQ(memory.around(one).size(), bytes);
    EXPECT_EQ(memory.around(one + bytes / 2).data(), one);
    EXPECT_NE(memory.around(one + std::max<size_t>(bytes, 1)).data(), one);
  }
  for (char *const one : given)
    memory.release(one);
  EXPECT_TRUE(memory.around(*given.begin()).empty());
}

TEST(PageMemory, EqualAllocationsBeginAtDifferentPlacesOfAPage) {
  PageMemory memory;
  std::set<uintptr_t> places;
  std::vector<char *> given;
  for (unsigned i = 0; i < 16; ++i)
    places.insert(reinterpret_cast<uintptr_t>(given.emplace_back(memory.allocate(8192))) % 4096);
  EXPECT_EQ(places.size(), 16u);
  for (char *const one : given)
    memory.release(one);
}

TEST(PageMemory, SharingKeepsAddressAndContents) {
  PageMemory memory;
  char *const before = memory.allocate(256), *const one = memory.allocate(10'000), *const after = memory.allocate(256);
  std::memset(before, 1, 256);
  std::memset(after, 2, 256);
  for (int i = 0; i < 10'000; ++i)
    one[i] = char(i);
  const SharedHandle piece = memory.share(one + 300), handle = memory.share(one);
  EXPECT_EQ(piece.offset, 300u);
  EXPECT_EQ(piece.bytes, handle.bytes);
  for (int i = 0; i < 10'000; ++i)
    ASSERT_EQ(one[i], char(i));
  EXPECT_TRUE(std::all_of(before, before + 256, [](char byte) { return byte == 1; }));
  EXPECT_TRUE(holdsInChild([&] {
    char *const opened = memory.open(handle, 10'000);
    const bool isSame = opened != one && std::memcmp(opened, one, 10'000) == 0;
    opened[9'999] = 77;
    memory.close(opened);
    before[0] = 9; // the child's alone
    return isSame;
  }));
  EXPECT_EQ(one[9'999], 77);
  EXPECT_EQ(before[0], 1);
  for (char *const each : {before, one, after})
    memory.release(each);
}

TEST(PageMemory, ReleasedMemoryIsPrivateAgain) {
  PageMemory memory;
  char *const one = memory.allocate(4096);
  std::memset(one, 5, 4096);
  const SharedHandle handle = memory.share(one);
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready) | pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    char *const opened = memory.open(handle, 4096);
    char byte = 0;
    const bool isTold = write(ready[1], "x", 1) == 1 && read(go[0], &byte, 1) == 1;
    _exit(isTold && std::all_of(opened, opened + 4096, [](char each) { return each == 5; }) ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  memory.release(one);
  char *const next = memory.allocate(4096), *const another = memory.allocate(4096);
  std::memset(next, 6, 4096);
  std::memset(another, 7, 4096);
  ASSERT_EQ(write(go[1], "x", 1), 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "who has it open keeps what was there";
  EXPECT_TRUE(holdsInChild([&] { return resultOf([&] { memory.open(handle, 4096); }) == CudaResult::InvalidHandle; }))
      << "nobody can open it any more";
  memory.release(next);
  memory.release(another);
}

TEST(PageMemory, WrongHandlesAreRefused) {
  PageMemory memory;
  char *const one = memory.allocate(4096);
  const SharedHandle handle = memory.share(one);
  EXPECT_EQ(resultOf([&] { memory.open(handle, 4096); }), CudaResult::InvalidContext) << "the own process";
  char other[8];
  EXPECT_EQ(resultOf([&] { memory.share(other); }), CudaResult::InvalidValue);
  SharedHandle broken;
  EXPECT_EQ(resultOf([&] { memory.open(broken, 1); }), CudaResult::InvalidHandle);
  EXPECT_TRUE(
      holdsInChild([&] { return resultOf([&] { memory.open(handle, 1 << 20); }) == CudaResult::InvalidValue; }));
  memory.release(one);
}

TEST(PageMemory, NothingAroundAnAllocationCanBeOpened) {
  PageMemory memory;
  char *const one = memory.allocate(800);
  const SharedHandle handle = memory.share(one);
  const auto resultAt = [&](size_t offset, size_t bytes) {
    SharedHandle piece = handle;
    piece.offset = offset;
    return resultOf([&] { memory.close(memory.open(piece, bytes)); });
  };
  EXPECT_TRUE(holdsInChild([&] {
    return resultAt(0, 800) == CudaResult(0) && resultAt(792, 8) == CudaResult(0) &&
           resultAt(800, 0) == CudaResult(0) && resultAt(0, 801) == CudaResult::InvalidValue &&
           resultAt(793, 8) == CudaResult::InvalidValue && resultAt(~size_t(0) - 7, 16) == CudaResult::InvalidValue &&
           resultAt(size_t(1) << 63, (size_t(1) << 63) + 8) == CudaResult::InvalidValue;
  }));
  memory.release(one);
}

/// What closing such a one would unmap is the neighbours'.
TEST(PageMemory, AllocationsThatCannotLieSoInTheirPagesAreRefused) {
  PageMemory memory;
  char *const one = memory.allocate(16 << 10);
  const SharedHandle handle = memory.share(one);
  const auto resultWith = [&](uint64_t skew, uint64_t bytes) {
    const uint64_t forged[] = {skew, bytes};
    SharedHandle whole = handle;
    std::memcpy(whole.bytes.data() + 40, forged, sizeof forged);
    return resultOf([&] { memory.close(memory.open(whole, 1)); });
  };
  EXPECT_TRUE(holdsInChild([&] {
    const auto isRefused = [&](uint64_t skew, uint64_t bytes) {
      return resultWith(skew, bytes) == CudaResult::InvalidHandle;
    };
    return resultWith(256, 1) == CudaResult(0) && isRefused(4096, 1) && isRefused(8, 1) &&
           isRefused(0 - uint64_t(4096), 4096) && isRefused(256, 1 << 20) && isRefused(256, ~uint64_t(0));
  }));
  memory.release(one);
}

TEST(PageMemory, OtherFilesOfTheProcessAreRefused) {
  PageMemory memory;
  char *const one = memory.allocate(4096), *const two = memory.allocate(4096);
  SharedHandle handle = memory.share(one);
  const SharedHandle second = memory.share(two);
  // The number of the second file, with what else is known of the first.
  std::memcpy(handle.bytes.data() + 16, second.bytes.data() + 16, 8);
  EXPECT_TRUE(holdsInChild([&] { return resultOf([&] { memory.open(handle, 1); }) == CudaResult::InvalidHandle; }));
  memory.release(one);
  memory.release(two);
}

} // namespace
} // namespace treadle::cpu
