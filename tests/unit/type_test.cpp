// Types: interned, and named as users read them.
#include "types/signature.h"
#include "types/type.h"

#include <gtest/gtest.h>

#include <thread>

namespace treadle {

TEST(Type, EqualContentsAreOneObject) {
  EXPECT_EQ(types::array(types::float32(), {.ndim = 2}), types::array(types::float32(), {.ndim = 2}));
  EXPECT_NE(types::array(types::float32(), {.ndim = 2}), types::array(types::float32(), {.ndim = 2, .readOnly = true}));
  EXPECT_NE(types::array(types::float32(), {.ndim = 1}),
            types::array(types::float32(), {.ndim = 1, .space = Space::Shared}));
  EXPECT_EQ(types::uniTuple(types::int64(), 3),
            types::tuple(std::vector<const Type *>{types::int64(), types::int64(), types::int64()}));
  EXPECT_EQ(types::builtin("math.sqrt"), types::builtin(std::string("math.") + "sqrt"));
  EXPECT_NE(types::function(1, "f"), types::function(2, "f"));
}

TEST(Type, OneContiguousAxisIsC) {
  EXPECT_EQ(types::array(types::int8(), {.ndim = 1, .layout = Layout::F}), types::array(types::int8(), {.ndim = 1}));
  EXPECT_EQ(types::array(types::int8(), {.ndim = 0, .layout = Layout::Any}), types::array(types::int8(), {.ndim = 0}));
  EXPECT_NE(types::array(types::int8(), {.ndim = 2, .layout = Layout::F}), types::array(types::int8(), {.ndim = 2}));
}

TEST(Type, Widths) {
  EXPECT_EQ(types::boolean()->bits(), 1u);
  EXPECT_EQ(types::boolean()->bytes(), 1u);
  EXPECT_EQ(types::complex64()->bits(), 64u);
  EXPECT_EQ(types::complex64()->element(), types::float32());
  EXPECT_EQ(types::float16()->bytes(), 2u);
  EXPECT_TRUE(types::int8()->isSigned());
  EXPECT_FALSE(types::uint64()->isSigned());
}

TEST(Type, OptionalOfOptionalIsOne) {
  const Type *once = types::optional(types::float64());
  EXPECT_EQ(types::optional(once), once);
  EXPECT_EQ(types::optional(types::none()), types::none());
}

TEST(Type, Names) {
  EXPECT_EQ(types::uint16()->name(), "uint16");
  EXPECT_EQ(types::array(types::float32(), {.ndim = 2, .layout = Layout::Any})->name(), "array(float32, 2d, A)");
  EXPECT_EQ(types::array(types::float32(), {.ndim = 1, .readOnly = true})->name(), "readonly array(float32, 1d, C)");
  EXPECT_EQ(types::uniTuple(types::int64(), 2)->name(), "UniTuple(int64 x 2)");
  const std::vector<const Type *> items{types::int64(), types::float64()};
  EXPECT_EQ(types::tuple(items)->name(), "Tuple(int64, float64)");
  const std::vector<std::string_view> names{"x", "y"};
  EXPECT_EQ(types::namedTuple(7, "Point", items, names)->name(), "Point(int64, float64)");
  EXPECT_EQ(types::optional(types::int8())->name(), "Optional(int8)");
  EXPECT_EQ((Signature{{types::int32(), types::float32()}, types::none()}.name()), "(int32, float32) -> none");
}

TEST(Type, NamedTuplesKeepTheirNames) {
  std::string first = "x", second = "y";
  const std::vector<const Type *> items{types::int64(), types::int64()};
  const std::vector<std::string_view> names{first, second};
  const Type *type = types::namedTuple(7, "Point", items, names);
  first = "changed";
  EXPECT_EQ(type->itemNames()[0], "x");
  EXPECT_EQ(type->text(), "Point");
  EXPECT_TRUE(type->isUniTuple());
  EXPECT_NE(type, types::uniTuple(types::int64(), 2));
}

/// {tag: uint8 at 0, x: float32 at `offset`, both: array of 2 int16}
const Type *sampleRecord(uint32_t offset, uint32_t bytes) {
  const int64_t two[] = {2};
  const std::string name = "x"; // must not need to outlive the type's construction
  const RecordField fields[] = {
      {"tag", types::uint8(), 0, {}}, {name, types::float32(), offset, {}}, {"both", types::int16(), offset + 4, two}};
  return types::record(fields, bytes);
}

TEST(Type, Records) {
  const Type *record = sampleRecord(4, 12);
  EXPECT_EQ(record, sampleRecord(4, 12));
  EXPECT_NE(record, sampleRecord(4, 16));
  EXPECT_EQ(record->name(), "Record(tag: uint8, x: float32, both: int16(2))");
  EXPECT_EQ(record->bytes(), 12u);
  EXPECT_EQ(record->alignment(), 4u);
  EXPECT_EQ(record->fieldIndex("both"), 2);
  EXPECT_EQ(record->fieldIndex("nothing"), -1);
  EXPECT_FALSE(record->isRuntime()); // only arrays of records are values
  EXPECT_EQ(types::array(record, {.ndim = 0})->name(), record->name());
  EXPECT_TRUE(types::array(record, {.ndim = 0})->isRecordReference());
}

TEST(Type, FieldsOfPackedRecordsAreUnaligned) {
  auto fieldOf = [](const Type *record, size_t field) {
    return types::fieldView(types::array(record, {.ndim = 2}), record->fields()[field])->name();
  };
  EXPECT_EQ(fieldOf(sampleRecord(4, 12), 1), "array(float32, 2d, A)");
  EXPECT_EQ(fieldOf(sampleRecord(4, 12), 2), "array(int16, 3d, A)");
  EXPECT_EQ(fieldOf(sampleRecord(1, 9), 1), "unaligned array(float32, 2d, A)");
  EXPECT_EQ(fieldOf(sampleRecord(4, 9), 1), "unaligned array(float32, 2d, A)"); // that of the second record is at 13
  EXPECT_EQ(fieldOf(sampleRecord(4, 10), 2), "array(int16, 3d, A)");
  EXPECT_EQ(fieldOf(sampleRecord(1, 9), 0), "array(uint8, 2d, A)");
  const Type *view = types::fieldView(types::array(sampleRecord(1, 9), {}), sampleRecord(1, 9)->fields()[1]);
  EXPECT_TRUE(types::viewOf(view, 3, Layout::Any)->isUnaligned());
}

TEST(Type, ManyThreadsMakeOneObject) {
  std::vector<const Type *> made(8);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < made.size(); ++i)
    threads.emplace_back([&made, i] {
      for (unsigned ndim = 1; ndim <= 8; ++ndim)
        made[i] = types::array(types::uint32(), {.ndim = ndim, .layout = Layout::F});
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Type *type : made)
    EXPECT_EQ(type, made[0]);
}

} // namespace treadle
