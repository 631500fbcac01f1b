// Signature strings: every accepted form, and the carets for rejected ones.
#include "support/error.h"
#include "types/names/signature_text.h"
#include "types/names/type_names.h"

#include <gtest/gtest.h>

namespace treadle {
namespace {

std::string parsed(std::string_view text) {
  const Signature signature = parseSignature(text);
  std::string names;
  for (const Type *argument : signature.arguments)
    names += (names.empty() ? "" : ", ") + argument->name();
  return (signature.result ? signature.result->name() : "?") + "(" + names + ")";
}

std::string mistake(std::string_view text) {
  try {
    return "accepted as " + parsed(text);
  } catch (const UsageError &error) {
    EXPECT_EQ(error.kind(), UsageError::Kind::Value);
    return error.what();
  }
}

TEST(SignatureText, Forms) {
  EXPECT_EQ(parsed("void(float32[:], int32)"), "none(array(float32, 1d, A), int32)");
  EXPECT_EQ(parsed("(f4[::1], i8)"), "?(array(float32, 1d, C), int64)");
  EXPECT_EQ(parsed("int32[:, :], float32[:], int64"), "?(array(int32, 2d, A), array(float32, 1d, A), int64)");
  EXPECT_EQ(parsed(" void ( ) "), "none()");
  EXPECT_EQ(parsed("()"), "?()");
  EXPECT_EQ(parsed("int32"), "?(int32)");
  EXPECT_EQ(parsed("float64(float64,)"), "float64(float64)");
  EXPECT_EQ(parsed("types.void(types.int32)"), "none(int32)");
  EXPECT_EQ(parsed("void(float32[::1, :], float32[:, ::1])"), "none(array(float32, 2d, F), array(float32, 2d, C))");
  EXPECT_EQ(parsed("(int32, float32)(int32)"), "Tuple(int32, float32)(int32)");
  EXPECT_EQ(parsed("void(Tuple((int32, float32)), UniTuple(int64, 2))"),
            "none(Tuple(int32, float32), UniTuple(int64 x 2))");
  EXPECT_EQ(parsed("void(Array(int32, 2, 'F', readonly=True))"), "none(readonly array(int32, 2d, F))");
}

TEST(SignatureText, MistakesHaveACaret) {
  EXPECT_EQ(mistake("void(flaot32[:])"), "bad signature: there is no type 'flaot32'\n    void(flaot32[:])\n         ^");
  EXPECT_EQ(mistake("void(float32[:]"),
            "bad signature: expected ',' or the end of the argument types\n    void(float32[:]\n                   ^");
  EXPECT_EQ(mistake("void(float32[3])"),
            "bad signature: expected ':' or '::1' for each dimension of the array\n    void(float32[3])\n"
            "                 ^");
  for (const char *text : {"", " ", "void(", "void)", "void(int32))", "int32 int32", "void(int32[::2])", "int32[]",
                           "int32[:, ::1, :]", "int32[::1, ::1]", "void[:]", "(int32", "UniTuple(int32)",
                           "Array(int32, 2, 'X')", "void(,)", "int32[:,:,:,:,:,:,:,:,:]", "\xff(int32)"})
    EXPECT_EQ(mistake(text).find("bad signature: "), 0u) << text;
}

TEST(SignatureText, DeepNestingIsRefused) { EXPECT_EQ(mistake(std::string(100000, '(')).find("bad signature: "), 0u); }

TEST(TypeNames, DigitsOfShortNamesCountBytes) {
  EXPECT_EQ(typeNamed("i8"), types::int64());
  EXPECT_EQ(typeNamed("f4"), types::float32());
  EXPECT_EQ(typeNamed("c16"), types::complex128());
  EXPECT_EQ(typeNamed("b1"), types::boolean());
  EXPECT_EQ(typeNamed("float"), nullptr);
}

} // namespace
} // namespace treadle
