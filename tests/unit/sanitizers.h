// Which sanitizer the tests run under: some tests must avoid what a sanitizer does not support.
#pragma once

#include <gtest/gtest.h>

namespace treadle {

#if defined(__SANITIZE_THREAD__)
constexpr bool underThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool underThreadSanitizer = true;
#else
constexpr bool underThreadSanitizer = false;
#endif
#else
constexpr bool underThreadSanitizer = false;
#endif

/// Tests whose children start threads.
class ThreadsOfChildren : public ::testing::Test {
protected:
  void SetUp() override {
    if (underThreadSanitizer)
      GTEST_SKIP() << "ThreadSanitizer does not allow threads in the child of a process with threads";
  }
};

} // namespace treadle
