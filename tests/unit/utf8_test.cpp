// UTF-8: what is a character, and what begins none.
#include "support/utf8.h"

#include <gtest/gtest.h>

#include <string>

using namespace treadle;

namespace {

std::string encoded(uint32_t code) {
  if (code < 0x80)
    return {char(code)};
  if (code < 0x800)
    return {char(0xc0 | code >> 6), char(0x80 | (code & 0x3f))};
  if (code < 0x10000)
    return {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 0x3f)), char(0x80 | (code & 0x3f))};
  return {char(0xf0 | code >> 18), char(0x80 | (code >> 12 & 0x3f)), char(0x80 | (code >> 6 & 0x3f)),
          char(0x80 | (code & 0x3f))};
}

} // namespace

TEST(Utf8, DecodesEveryCodePointAndRefusesSurrogates) {
  for (uint32_t code = 0; code <= 0x110000; ++code) {
    const std::string text = encoded(code) + "x";
    const Utf8Character found = firstCharacter(text);
    const bool isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    ASSERT_EQ(found.isValid, isCharacter) << std::hex << code;
    ASSERT_EQ(found.bytes, isCharacter ? text.size() - 1 : 1) << std::hex << code;
    if (isCharacter) {
      ASSERT_EQ(found.codePoint, code);
    }
  }
}

TEST(Utf8, RefusesWhatIsOverlongCutShortOrContinuesNothing) {
  for (const char *text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82",
        "\xe2(\xa1", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf5\x80\x80\x80", "\xff"}) {
    const Utf8Character found = firstCharacter(text);
    EXPECT_FALSE(found.isValid) << text;
    EXPECT_EQ(found.bytes, 1u) << text;
  }
}
