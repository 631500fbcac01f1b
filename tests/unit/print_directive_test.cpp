// Directives of printf: what their letters are for, where they end, and how 64-bit integers are shown.
#include "border/print_directive.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace treadle::printing {
namespace {

template <typename Value> std::string printed(std::string_view directive, Value value) {
  char text[64];
  std::snprintf(text, sizeof text, withLength(directive).c_str(), value);
  return text;
}

TEST(PrintDirective, EachLetterIsOfOneKindOfValues) {
  const std::string letters = "duxXofFeEgGs";
  for (int code = 0; code < 256; ++code) {
    const char letter = char(code);
    EXPECT_EQ(isLetter(letter), letter && letters.find(letter) != letters.npos) << letter;
    EXPECT_EQ(isOfInteger(letter) + isOfFloat(letter), isLetter(letter) && letter != 's') << letter;
  }
  const std::string usual{usualLetter(Shown::Signed), usualLetter(Shown::Unsigned), usualLetter(Shown::Float),
                          usualLetter(Shown::Text)};
  EXPECT_EQ(usual, "dufs");
}

TEST(PrintDirective, IntegersHave64Bits) {
  const long long all = -1;
  EXPECT_EQ(printed("%d", all), "-1");
  EXPECT_EQ(printed("%u", all), "18446744073709551615");
  EXPECT_EQ(printed("%x", all), "ffffffffffffffff");
  EXPECT_EQ(printed("%X", all), "FFFFFFFFFFFFFFFF");
  EXPECT_EQ(printed("%o", all), "1777777777777777777777");
  EXPECT_EQ(printed("%-15d", 1LL << 40), "1099511627776  ");
  EXPECT_EQ(printed("%+.2f", 1.5), "+1.50");
  EXPECT_EQ(printed("%s", "True"), "True");
}

TEST(PrintDirective, EndsAtItsLetter) {
  for (const char *directive : {"%d", "%-12.3e", "%+05u", "% .17G", "%s", "%%", "%08X"}) {
    EXPECT_EQ(directiveLength(directive), std::string_view(directive).size()) << directive;
    EXPECT_EQ(directiveLength(std::string(directive) + "x% f"), std::string_view(directive).size()) << directive;
  }
  EXPECT_EQ(escaped("100% {%d}"), "100%% {%%d}");
}

} // namespace
} // namespace treadle::printing
