// The API's constants and structures are NVIDIA's.
#include "header_check.h"

#include "cuda_driver_api.h"

#include <gtest/gtest.h>

namespace fakecuda::testing {

HeaderNumbers ourNumbers() {
#include "header_numbers.inc"
}

TEST(Header, ConstantsAndStructuresAreNvidias) {
  const HeaderNumbers theirs = nvidiaNumbers();
  if (theirs.empty())
    GTEST_SKIP() << "cuda.h is not installed here";
  for (const auto &[name, number] : ourNumbers())
    EXPECT_EQ(number, theirs.at(name)) << name;
}

} // namespace fakecuda::testing
