// Recorded questions: what counts as the same answers in another process, and what does not.
#include "border/recorded_names.h"

#include <gtest/gtest.h>

#include <map>

using namespace treadle;

namespace {

CapturedValue typed(const Type *type) {
  CapturedValue value;
  value.type = type;
  return value;
}

CapturedValue number(int64_t integer) {
  CapturedValue value = typed(types::int64());
  value.isLiteral = true;
  value.integer = integer;
  return value;
}

CapturedValue table(std::shared_ptr<const void> object, std::vector<std::byte> data) {
  CapturedValue value = typed(types::array(types::uint8(), {.readOnly = true}));
  value.shape = {int64_t(data.size())};
  value.strides = {1};
  value.object = std::move(object);
  value.data = std::make_shared<const std::vector<std::byte>>(std::move(data));
  return value;
}

CapturedValue deviceTable(uint64_t pointer) {
  CapturedValue value = typed(types::array(types::float32(), {}));
  value.shape = {4};
  value.strides = {4};
  value.devicePointer = pointer;
  return value;
}

/// A process: what names mean in it. Its handles begin at `first`, so that they differ from those of others.
class Names final : public NameResolver {
public:
  explicit Names(uint64_t first) : root(first) {}

  CapturedValue resolve(uint64_t, std::string_view name) override {
    ++asked;
    return globals[std::string(name)];
  }
  CapturedValue attribute(uint64_t handle, std::string_view name) override {
    ++asked;
    return attributes[{handle - root, std::string(name)}];
  }
  CapturedValue members(uint64_t) override { return {}; }
  CalledFunction function(uint64_t handle) override {
    CalledFunction called;
    called.handle = handle;
    called.forceInline = forcesInline;
    return called;
  }
  std::string sourceKey(uint64_t) override { return source; }
  CapturedValue parameterDefault(uint64_t, std::string_view) override { return number(preset); }
  std::string qualifiedName(uint64_t) override { return "module:Class"; }
  std::string_view undecoratedFunction(uint64_t) override { return "plain"; }
  CapturedValue dtypeNamed(std::string_view) override { return typed(types::float32()); }
  CapturedValue libraryFunction(std::string_view) override { return {}; }

  const uint64_t root;
  std::map<std::string, CapturedValue> globals;
  std::map<std::pair<uint64_t, std::string>, CapturedValue> attributes; ///< by the handle less `root`
  std::string source = "def helper(): pass";
  bool forcesInline = false;
  int64_t preset = 7;
  unsigned asked = 0;
};

/// A module "m" with a number, a function "helper", an array.
std::shared_ptr<Names> process(uint64_t first) {
  auto names = std::make_shared<Names>(first);
  names->globals["m"] = typed(types::module(first + 1, "m"));
  names->globals["helper"] = typed(types::function(first + 2, "helper"));
  names->globals["weights"] = table(std::make_shared<int>(1), {std::byte(1), std::byte(2)});
  names->attributes[{1, "size"}] = number(5);
  return names;
}

RecordedNames recorded(const std::shared_ptr<Names> &names) {
  return RecordedNames(names, names->root, Signature{{types::int64()}, nullptr});
}

/// What inference of a small kernel asks.
std::vector<RecordedQuestion> questionsOf(RecordedNames &names) {
  const CapturedValue module = names.resolve(names.root(), "m");
  (void)names.attribute(module.type->handle(), "size");
  const CapturedValue helper = names.resolve(names.root(), "helper");
  (void)names.function(helper.type->handle());
  (void)names.parameterDefault(helper.type->handle(), "scale");
  (void)names.resolve(names.root(), "weights");
  (void)names.dtypeNamed("f4");
  (void)names.libraryFunction("array.sum");
  return names.questions();
}

std::vector<RecordedQuestion> questions() {
  RecordedNames names = recorded(process(1000));
  return questionsOf(names);
}

bool gives(const std::shared_ptr<Names> &names) { return recorded(names).gives(questions()); }

} // namespace

TEST(RecordedNames, AnotherProcessGivesTheSame) { EXPECT_TRUE(gives(process(70000))); }

TEST(RecordedNames, AnotherValueDiffers) {
  auto names = process(70000);
  names->attributes[{1, "size"}] = number(6);
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, AnotherTypeOfTheSameValueDiffers) {
  auto names = process(70000);
  names->attributes[{1, "size"}].isLiteral = false;
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, NegativeZeroDiffers) {
  const auto with = [](double zero) {
    auto names = process(1000);
    CapturedValue value = typed(types::float64());
    value.real = zero;
    names->globals["m"] = value;
    return names;
  };
  RecordedNames names = recorded(with(0.0));
  (void)names.resolve(names.root(), "m");
  EXPECT_TRUE(recorded(with(0.0)).gives(names.questions()));
  EXPECT_FALSE(recorded(with(-0.0)).gives(names.questions()));
}

TEST(RecordedNames, ANameThatIsGoneDiffers) {
  auto names = process(70000);
  names->globals.erase("weights");
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, EditedHelperDiffers) {
  auto names = process(70000);
  names->source = "def helper(): return 1";
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, OptionsOfAHelperDiffer) {
  auto names = process(70000);
  names->forcesInline = true;
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, DefaultsOfAHelperDiffer) {
  auto names = process(70000);
  names->preset = 8;
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, ContentsOfAnArrayDiffer) {
  auto names = process(70000);
  names->globals["weights"] = table(std::make_shared<int>(1), {std::byte(1), std::byte(3)});
  EXPECT_FALSE(gives(names));
}

TEST(RecordedNames, WhetherTwoNamesAreOneObjectCounts) {
  const auto pair = [](bool isOne) {
    auto names = process(1000);
    const auto left = std::make_shared<int>(1);
    names->globals["left"] = table(left, {std::byte(1)});
    names->globals["right"] = table(isOne ? left : std::make_shared<int>(2), {std::byte(1)});
    return names;
  };
  RecordedNames names = recorded(pair(true));
  (void)names.resolve(names.root(), "left");
  (void)names.resolve(names.root(), "right");
  EXPECT_TRUE(recorded(pair(true)).gives(names.questions()));
  EXPECT_FALSE(recorded(pair(false)).gives(names.questions()));
}

TEST(RecordedNames, DeviceArraysAreKnownByTheirOrderNotByTheirAddress) {
  const auto pair = [](uint64_t left, uint64_t right) {
    auto names = process(1000);
    names->globals["left"] = deviceTable(left);
    names->globals["right"] = deviceTable(right);
    return names;
  };
  RecordedNames names = recorded(pair(0x5000, 0x6000));
  (void)names.resolve(names.root(), "left");
  (void)names.resolve(names.root(), "right");
  RecordedNames other = recorded(pair(0x9000, 0x8000));
  EXPECT_TRUE(other.gives(names.questions()));
  EXPECT_EQ(other.devicePointers(), (std::vector<uint64_t>{0x9000, 0x8000}));
  EXPECT_FALSE(recorded(pair(0x9000, 0x9000)).gives(names.questions())) << "one memory under two names";
}

TEST(RecordedNames, ClassesOfArgumentsAreNumbered) {
  const Type *const items[] = {types::int64()};
  const std::string_view fields[] = {"x"};
  const auto point = [&](uint64_t handle) { return types::namedTuple(handle, "Point", items, fields); };
  const auto asked = [&](uint64_t handle, uint64_t constructed) {
    auto names = process(1000);
    names->globals["made"] = typed(point(constructed));
    return RecordedNames(names, names->root, Signature{{point(handle)}, nullptr});
  };
  RecordedNames names = asked(500, 500);
  (void)names.resolve(names.root(), "made");
  EXPECT_TRUE(asked(900, 900).gives(names.questions()));
  EXPECT_FALSE(asked(900, 901).gives(names.questions())) << "the tuple is of another class of that name";
}

TEST(RecordedNames, EachQuestionIsAskedOnce) {
  auto names = process(1000);
  RecordedNames recordedNames = recorded(names);
  (void)recordedNames.resolve(1000, "m");
  names->globals["m"] = number(1);
  EXPECT_TRUE(recordedNames.resolve(1000, "m").type->is(TypeKind::Module)) << "answered as before";
  EXPECT_EQ(names->asked, 1u);
  EXPECT_EQ(recordedNames.questions().size(), 1u);
}

TEST(RecordedNames, AskingStopsAtTheFirstOtherAnswer) {
  auto names = process(70000);
  names->globals["m"] = number(1);
  EXPECT_FALSE(gives(names));
  EXPECT_EQ(names->asked, 1u);
}

TEST(RecordedNames, QuestionsAboutUnknownHandlesDiffer) {
  std::vector<RecordedQuestion> asked = questions();
  for (RecordedQuestion &question : asked)
    question.handle += 1000;
  EXPECT_FALSE(recorded(process(1000)).gives(asked));
}

TEST(RecordedNames, WhatPythonRunsHasNoDigest) {
  RecordedNames names = recorded(process(1000));
  EXPECT_TRUE(names.isComplete());
  (void)names.evaluate(1000, {});
  EXPECT_FALSE(names.isComplete());
}

TEST(RecordedNames, AFunctionWithoutASourceHasNoDigest) {
  auto names = process(1000);
  names->source.clear();
  RecordedNames recordedNames = recorded(names);
  (void)recordedNames.function(1002);
  EXPECT_FALSE(recordedNames.isComplete());
}
