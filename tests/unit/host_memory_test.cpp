// PinnedRanges: ranges that overlap are refused, and what the device is told of the others.
#include "memory/host_memory.h"

#include "memory_device.h"

#include <gtest/gtest.h>

#include <string>

namespace treadle {
namespace {

struct RegisteringDevice : MemoryDevice {
  void registerHost(std::span<char> memory) override {
    if (isFull)
      throw DeviceError("register memory of the host", CudaResult::OutOfMemory, "none is left");
    told += "+" + std::to_string(memory.size());
  }
  void unregisterHost(char *) override { told += "-"; }

  bool isFull = false;
  std::string told;
};

int codeOf(PinnedRanges &ranges, std::span<char> memory) {
  try {
    ranges.pin(memory);
    return 0;
  } catch (const DeviceError &error) {
    return int(error.result());
  }
}

TEST(PinnedRanges, NoTwoOverlap) {
  RegisteringDevice device;
  PinnedRanges ranges(device);
  char bytes[100];
  const std::span<char> memory(bytes);
  ranges.pin(memory.subspan(40, 20));
  for (const auto &[first, count] : {std::pair(30, 11), {59, 20}, {45, 2}, {0, 100}, {40, 20}})
    EXPECT_EQ(codeOf(ranges, memory.subspan(first, count)), int(CudaResult::HostMemoryAlreadyRegistered)) << first;
  ranges.pin(memory.subspan(60, 5));
  ranges.pin(memory.subspan(39, 1));
  ranges.pin(memory.subspan(45, 0));
  ranges.unpin(memory.subspan(40, 20));
  EXPECT_EQ(codeOf(ranges, memory.subspan(40, 20)), 0);
  EXPECT_EQ(device.told, "+20+5+1-+20");
}

TEST(PinnedRanges, WhatTheDeviceRefusesIsNotPinned) {
  RegisteringDevice device;
  PinnedRanges ranges(device);
  char bytes[10];
  device.isFull = true;
  EXPECT_EQ(codeOf(ranges, bytes), 2);
  device.isFull = false;
  EXPECT_EQ(codeOf(ranges, bytes), 0);
}

} // namespace
} // namespace treadle
