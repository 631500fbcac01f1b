// The kernel table: finds by comparison, is empty after clearing, can be read while it grows.
#include "launch/kernel_table.h"

#include <gtest/gtest.h>

#include <thread>

namespace treadle {
namespace {

Overload *overload(uintptr_t number) { return reinterpret_cast<Overload *>(number * 64); }

std::vector<TypeToken> key(uint64_t number) {
  return {tokens::scalar(NumberCode::Int32), number, tokens::array(NumberCode::Float32, 1, Layout::C, false)};
}

TEST(KernelTable, FindsWhatWasInserted) {
  KernelTable table;
  EXPECT_EQ(table.find(key(1)), nullptr);
  for (uint64_t i = 0; i < 1000; ++i)
    table.insert(key(i), overload(i + 1));
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_EQ(table.find(key(i)), overload(i + 1)) << i;
  EXPECT_EQ(table.find(key(1000)), nullptr);
}

TEST(KernelTable, LengthMatters) {
  KernelTable table;
  table.insert(std::vector<TypeToken>{1, 2}, overload(1));
  EXPECT_EQ(table.find(std::vector<TypeToken>{1}), nullptr);
  EXPECT_EQ(table.find(std::vector<TypeToken>{1, 2, 3}), nullptr);
  EXPECT_EQ(table.find(std::vector<TypeToken>{}), nullptr);
  EXPECT_EQ(table.find(std::vector<TypeToken>{1, 2}), overload(1));
}

TEST(KernelTable, NoArgumentsIsAKeyToo) {
  KernelTable table;
  table.insert({}, overload(5));
  EXPECT_EQ(table.find({}), overload(5));
}

TEST(KernelTable, TheFirstInsertionStays) {
  KernelTable table;
  table.insert(key(1), overload(1));
  table.insert(key(1), overload(2));
  EXPECT_EQ(table.find(key(1)), overload(1));
}

TEST(KernelTable, ClearForgetsAlsoTheLatest) {
  KernelTable table;
  table.insert(key(1), overload(1));
  EXPECT_EQ(table.find(key(1)), overload(1));
  table.clear();
  EXPECT_EQ(table.find(key(1)), nullptr);
  table.insert(key(1), overload(2));
  EXPECT_EQ(table.find(key(1)), overload(2));
}

TEST(KernelTable, ReadersNeverSeeAWrongEntry) {
  KernelTable table;
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int reader = 0; reader < 3; ++reader)
    readers.emplace_back([&] {
      while (!stop)
        for (uint64_t i = 0; i < 300; ++i) {
          Overload *found = table.find(key(i));
          wrong += found && found != overload(i + 1);
        }
    });
  for (int round = 0; round < 20; ++round) {
    for (uint64_t i = 0; i < 300; ++i)
      table.insert(key(i), overload(i + 1));
    table.clear();
  }
  stop = true;
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
} // namespace treadle
