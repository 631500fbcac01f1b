// Typestrings, and what dictionaries of the CUDA Array Interface must say.
#include "interop/interface_reader.h"
#include "interop/interface_types.h"
#include "interop/opaque_types.h"

#include <gmock/gmock.h>

namespace treadle {
namespace {

using testing::HasSubstr;

TEST(InterfaceTypes, NumbersAndBack) {
  for (const char *text :
       {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8", "<c8", "<c16"}) {
    const Type *const element = elementOfTypestr(text);
    ASSERT_TRUE(element) << text;
    EXPECT_EQ(typestrOf(element), text);
  }
  EXPECT_EQ(elementOfTypestr("<b1"), types::boolean());
  EXPECT_EQ(elementOfTypestr(">u1"), types::integer(8, false));
  EXPECT_EQ(elementOfTypestr("=f8"), types::float64());
}

TEST(InterfaceTypes, WhatIsNoNumber) {
  for (const char *text :
       {">f4", "|f4",     ">f2",     "<f3",     "<i16", "<b2",    "|V0",     "|O8",    "|S0", ">U4",
        "|U1", ">M8[ns]", "<M4[ns]", "<M8[xs]", "<M8[", "<m8[n]", "<f4[ns]", "<f2[s]", "<t4", "|V4294967295"}) {
    EXPECT_TRUE(isTypestr(text)) << text;
    EXPECT_FALSE(elementOfTypestr(text)) << text;
  }
  for (const char *text :
       {"", "<", "<f", "f4", "<f4 ", "<f-4", "<f+4", "<x4", "<F4", "<f99999999999999999999", "<f0x4"})
    EXPECT_FALSE(isTypestr(text) && elementOfTypestr(text)) << text;
  EXPECT_FALSE(isTypestr("<f4 ") || isTypestr("<x4") || isTypestr("f4"));
  EXPECT_EQ(opaqueBytes("|V12"), 12u);
  EXPECT_EQ(opaqueBytes("<f4"), 0u);
}

TEST(InterfaceTypes, WhatKernelsDoNotHaveAndBack) {
  struct Expected {
    const char *typestr, *name;
    unsigned bytes, alignment;
  };
  for (const auto &[typestr, name, bytes, alignment] : {Expected{"|V7", "V7", 7, 1},
                                                        {"|S5", "[char x 5]", 5, 1},
                                                        {"<U3", "[unichr x 3]", 12, 4},
                                                        {"<M8[ns]", "datetime64[ns]", 8, 8},
                                                        {"<m8[25s]", "timedelta64[25s]", 8, 8},
                                                        {"<M8", "datetime64", 8, 8}}) {
    const Type *const element = elementOfTypestr(typestr);
    ASSERT_TRUE(element) << typestr;
    EXPECT_TRUE(element->isOpaque() && !element->isNumber() && !element->isRuntime());
    EXPECT_EQ(element->name(), name);
    EXPECT_EQ(element->bytes(), bytes) << typestr;
    EXPECT_EQ(element->alignment(), alignment) << typestr;
    EXPECT_EQ(typestrOf(element), typestr);
  }
  EXPECT_EQ(typestrOf(opaqueNamed("bfloat16")), "<V2");
  EXPECT_EQ(typestrOf(opaqueNamed("float8_e4m3fn")), "|V1");
  EXPECT_EQ(elementOfTypestr("<V2"), types::opaque("V2", 2, 1));
  EXPECT_EQ(elementOfTypestr("<f2"), types::float16());
  EXPECT_FALSE(opaqueNamed("float16") || opaqueNamed("float32") || opaqueNamed("V2"));
}

class InterfaceReaderTest : public testing::Test {
protected:
  static std::string problem(const InterfaceFields &fields) {
    try {
      const InterfaceReader reader(fields);
      ForeignArray(reader.description());
    } catch (const UsageError &error) {
      return error.what();
    }
    return "";
  }

  double memory[12] = {};
  int64_t shape[2] = {3, 4}, strides[2] = {32, 8};
  InterfaceFields fields{.typestr = "<f8", .shape = shape, .data = reinterpret_cast<uintptr_t>(memory), .version = 3};
};

TEST_F(InterfaceReaderTest, StridesAreInCOrderWhereThereAreNone) {
  const InterfaceReader reader(fields);
  const ForeignArray array(reader.description());
  const ArrayView &view = array.view;
  EXPECT_EQ(view.data, reinterpret_cast<char *>(memory));
  EXPECT_TRUE(view.strides[0] == 32 && view.strides[1] == 8 && view.itemBytes == 8);
  EXPECT_FALSE(reader.stream());
  EXPECT_EQ(array.memory.size(), sizeof memory);
}

TEST_F(InterfaceReaderTest, NegativeStridesReachBackwards) {
  strides[0] = -32;
  fields.strides = strides;
  fields.data += 64;
  const ForeignArray array(InterfaceReader(fields).description());
  EXPECT_EQ(array.memory.data(), reinterpret_cast<char *>(memory));
  EXPECT_EQ(array.memory.size(), sizeof memory);
}

TEST_F(InterfaceReaderTest, StreamsCountFromVersion3On) {
  fields.stream = 7;
  EXPECT_EQ(InterfaceReader(fields).stream(), 7u);
  fields.version = 2;
  EXPECT_FALSE(InterfaceReader(fields).stream());
  fields.stream = 0;
  EXPECT_EQ(problem(fields), "");
  fields.version = 4;
  EXPECT_THAT(problem(fields), HasSubstr("either default stream"));
  fields.stream = -3;
  EXPECT_THAT(problem(fields), HasSubstr("found -3"));
}

TEST_F(InterfaceReaderTest, WhatIsRefused) {
  InterfaceFields wrong = fields;
  wrong.version = -1;
  EXPECT_THAT(problem(wrong), HasSubstr("version"));
  wrong = fields;
  wrong.strides = std::span<const int64_t>(strides, 1);
  EXPECT_THAT(problem(wrong), HasSubstr("one number for each dimension: 2, found 1"));
  wrong = fields;
  wrong.data = 0;
  EXPECT_THAT(problem(wrong), HasSubstr("address is 0"));
  wrong.data = UINTPTR_MAX - 7;
  EXPECT_THAT(problem(wrong), HasSubstr("address space"));
  shape[0] = INT64_MAX;
  EXPECT_NE(problem(fields), "");
  shape[0] = -1;
  EXPECT_NE(problem(fields), "");
}

} // namespace
} // namespace treadle
