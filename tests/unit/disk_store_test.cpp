// Disk stores: what is found again, what is refused, and what goes when the limit is reached.
#include "support/files/disk_store.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace treadle {
namespace {

namespace fs = std::filesystem;

class DiskStoreTest : public testing::Test {
protected:
  DiskStoreTest() {
    std::string name = testing::TempDir() + "treadle_store_XXXXXX";
    parent = mkdtemp(name.data());
  }
  ~DiskStoreTest() override { fs::remove_all(parent); }

  DiskStore open(uint64_t limit = 1 << 20) const { return DiskStore({folder(), limit}); }
  std::string folder() const { return parent + "/deep/below"; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder()))
      found.push_back(entry.path());
    return found;
  }
  /// Of the only entry.
  fs::path file() const { return files().at(0); }
  std::string bytes() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string &bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }

  std::string parent;
};

TEST_F(DiskStoreTest, FindsInAnotherProcessWhatOneHasWritten) {
  EXPECT_EQ(open().find("key"), std::nullopt);
  EXPECT_FALSE(fs::exists(folder())) << "reading makes no folder";
  open().put("key", std::string("a\0b", 3));
  open().put("", "of the empty key");
  DiskStore other = open();
  EXPECT_EQ(other.find("key"), std::string("a\0b", 3));
  EXPECT_EQ(other.find(""), "of the empty key");
  EXPECT_EQ(other.find("Key"), std::nullopt);
  EXPECT_EQ(other.counts().found, 2u);
  EXPECT_EQ(other.counts().missed, 1u);
  EXPECT_EQ(other.content().entries, 2u);
  other.put("key", "new");
  EXPECT_EQ(open().find("key"), "new");
  EXPECT_EQ(open().content().entries, 2u);
  other.remove("key");
  EXPECT_EQ(open().find("key"), std::nullopt);
}

TEST_F(DiskStoreTest, NobodyElseCanWriteThere) {
  open().put("key", "value");
  struct stat state;
  ASSERT_EQ(stat(folder().c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(file().c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST_F(DiskStoreTest, EachDamagedByteIsFound) {
  open().put("the key", "the value");
  const std::string whole = bytes();
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = char(damaged[i] ^ (1 << (i % 8)));
    write(damaged);
    DiskStore store = open();
    EXPECT_EQ(store.find("the key"), std::nullopt) << "byte " << i;
    EXPECT_EQ(store.counts().refused, 1u);
    EXPECT_TRUE(files().empty()) << "it is removed";
    store.put("the key", "the value");
  }
  EXPECT_EQ(open().find("the key"), "the value");
}

TEST_F(DiskStoreTest, HalfWrittenAndLongerEntriesAreFound) {
  open().put("the key", "the value");
  const std::string whole = bytes();
  for (size_t length = 0; length < whole.size() + 40; ++length) {
    if (length == whole.size())
      continue;
    std::string wrong = whole;
    wrong.resize(length);
    write(wrong);
    EXPECT_EQ(open().find("the key"), std::nullopt) << length << " bytes";
    open().put("the key", "the value");
  }
}

TEST_F(DiskStoreTest, AnEntryOfAnotherKeyIsNone) {
  open().put("one", "1");
  const std::string of = bytes();
  open().remove("one");
  open().put("two", "2");
  write(of);
  EXPECT_EQ(open().find("two"), std::nullopt);
}

TEST_F(DiskStoreTest, WhatOthersCanWriteToIsNotUsed) {
  open().put("key", "value");
  ASSERT_EQ(chmod(file().c_str(), 0620), 0);
  DiskStore store = open();
  EXPECT_EQ(store.find("key"), std::nullopt);
  EXPECT_EQ(store.counts().refused, 1u);
  store.put("key", "value");
  ASSERT_EQ(chmod(folder().c_str(), 0702), 0);
  EXPECT_EQ(store.find("key"), std::nullopt);
  store.put("other", "value");
  EXPECT_EQ(store.counts().failed, 1u);
  EXPECT_NE(store.content().trouble.find("written by others"), std::string::npos);
  ASSERT_EQ(chmod(folder().c_str(), 0700), 0);
  EXPECT_EQ(store.find("key"), "value");
  EXPECT_EQ(store.find("other"), std::nullopt);
}

TEST_F(DiskStoreTest, WhatIsNoFileIsRemoved) {
  open().put("key", "value");
  const fs::path name = file();
  const std::string elsewhere = parent + "/elsewhere";
  fs::rename(name, elsewhere);
  fs::create_symlink(elsewhere, name);
  EXPECT_EQ(open().find("key"), std::nullopt) << "links are not followed";
  EXPECT_FALSE(fs::is_symlink(name));
  EXPECT_TRUE(fs::exists(elsewhere));
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(open().find("key"), std::nullopt) << "nobody waits for a writer";
  open().put("key", "value");
  EXPECT_EQ(open().find("key"), "value");
}

TEST_F(DiskStoreTest, WhatCannotBeWrittenIsNotKept) {
  std::ofstream(parent + "/file") << "no folder";
  DiskStore below({parent + "/file/below", 1 << 20});
  below.put("key", "value");
  EXPECT_EQ(below.find("key"), std::nullopt);
  EXPECT_EQ(below.counts().failed, 1u);
  EXPECT_NE(below.content().trouble, "");
  DiskStore none({"", 1 << 20}), off({folder(), 0});
  none.put("key", "value");
  off.put("key", "value");
  EXPECT_FALSE(none.isUsed() || off.isUsed());
  EXPECT_FALSE(fs::exists(folder()));
}

/// As on a full disk: the process may write no more than 1000 bytes to a file.
TEST_F(DiskStoreTest, AFullDiskLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    DiskStore store = open();
    store.put("key", std::string(5000, 'x'));
    _exit(store.counts().failed == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(files().empty());
}

TEST_F(DiskStoreTest, WhatWasUsedLongestAgoGoes) {
  const std::string value(10000, 'v');
  for (int i = 0; i < 10; ++i) {
    open().put(std::to_string(i), value);
    for (const fs::path &path : files())
      fs::last_write_time(path, fs::last_write_time(path) - std::chrono::hours(3));
  }
  EXPECT_EQ(open().find("0"), value) << "which counts as a use";
  open(60000).put("more", value);
  EXPECT_LE(open().content().bytes, 60000u);
  EXPECT_GE(open().content().entries, 3u);
  EXPECT_EQ(open().find("0"), value);
  EXPECT_EQ(open().find("more"), value);
  EXPECT_EQ(open().find("1"), std::nullopt);
  DiskStore small = open(5000);
  small.put("large", value);
  EXPECT_EQ(small.find("large"), std::nullopt);
}

TEST_F(DiskStoreTest, TheLimitHoldsWithinOneProcess) {
  DiskStore store = open(100000);
  for (int i = 0; i < 100; ++i)
    store.put(std::to_string(i), std::string(5000, 'v'));
  EXPECT_LE(open().content().bytes, 110000u);
  EXPECT_EQ(store.counts().written, 100u);
}

TEST_F(DiskStoreTest, WhatEndedProcessesLeftIsRemoved) {
  open().put("key", "value");
  std::ofstream(folder() + "/.new-1") << "old";
  std::ofstream(folder() + "/.new-2") << "being written";
  fs::last_write_time(folder() + "/.new-1", fs::file_time_type::clock::now() - std::chrono::hours(2));
  open().put("other", "value");
  EXPECT_FALSE(fs::exists(folder() + "/.new-1"));
  EXPECT_TRUE(fs::exists(folder() + "/.new-2"));
  EXPECT_EQ(open().content().entries, 2u);
}

TEST_F(DiskStoreTest, ThreadsAndProcessesShareIt) {
  const auto work = [this] {
    DiskStore store = open();
    bool isRight = true;
    for (int i = 0; i < 100; ++i) {
      const std::string key = std::to_string(i % 7), value(size_t(i % 7) * 1000, char('a' + i % 7));
      store.put(key, value);
      const std::optional<std::string> found = store.find(key);
      isRight = isRight && (!found || *found == value);
    }
    return isRight && store.counts().refused == 0 && store.counts().failed == 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i)
    if (const pid_t child = fork(); child == 0)
      _exit(work() ? 0 : 1);
    else
      children.push_back(child);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&work] { EXPECT_TRUE(work()); });
  for (std::thread &thread : threads)
    thread.join();
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files().size(), 7u);
}

} // namespace
} // namespace treadle
