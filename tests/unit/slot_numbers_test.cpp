// slot_numbers: what variables hold where paths meet, and how much is kept to know it.
#include "passes/analyses/slot_numbers.h"

#include "typed_builder.h"

#include <gtest/gtest.h>

namespace {

using namespace treadle;
using namespace treadle::test;
using Slots = SlotNumbers::Slots;

struct Function : TypedBuilder {
  Function() : TypedBuilder("kernel") {}

  Slot *a = local("a", types::int64()), *b = local("b", types::int64());
  std::shared_ptr<TypedFunction> made = finish({});
  ValueNumbers numbers;
  Uses uses{*made};
  SlotNumbers slots{*made, uses, numbers};
};

TEST(SlotNumbers, PartsGiveBackWhatTheyChange) {
  Function f;
  const auto before = f.numbers.fresh();
  f.slots.assign(*f.a, before);
  const Slots changed = f.slots.changedBy([&] {
    f.slots.assign(*f.a, f.numbers.fresh());
    f.slots.assign(*f.a, f.numbers.fresh());
    EXPECT_NE(f.slots.valueOf(*f.a), before);
  });
  EXPECT_EQ(changed, Slots{f.a->index});
  EXPECT_EQ(f.slots.valueOf(*f.a), before);
  f.slots.forget(changed);
  EXPECT_NE(f.slots.valueOf(*f.a), before);
}

/// Both of a branch's arms, whose second one is the next branch, and a loop's body and else clause.
TEST(SlotNumbers, EachPartNamesAVariableOnce) {
  Function f;
  std::function<void(unsigned)> nested = [&](unsigned depth) {
    if (depth == 0)
      return;
    const Slots first = f.slots.changedBy([&] {
      f.slots.assign(*f.a, f.numbers.fresh());
      f.slots.assign(*f.b, f.numbers.fresh());
      f.slots.assign(*f.a, f.numbers.fresh());
    });
    const Slots rest = f.slots.changedBy([&] { nested(depth - 1); });
    EXPECT_EQ(first.size(), 2u);
    ASSERT_EQ(rest.size(), depth > 1 ? 2u : 0u);
    f.slots.forget(first);
    f.slots.forget(rest);
    f.slots.forget(first);
  };
  EXPECT_EQ(f.slots.changedBy([&] { nested(500); }).size(), 2u);
}

} // namespace
