// The linker: which names of several texts are one, and which are not.
#include "linker.h"
#include "test_device.h"

#include "fault.h"

#include <gtest/gtest.h>

namespace ptxmachine {
namespace {

const std::string header = ".version 8.3\n.target sm_80\n.address_size 64\n";
/// Stores what `get` gives.
const std::string caller = header + R"(
.extern .func (.param .b32 r) get();
.visible .entry main(.param .u64 out) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>; .param .b32 result;
  call (result), get;
  ld.param.b32 %r1, [result]; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; ret;
})";

std::string getter(const std::string &linkage, int value, const std::string &name = "get") {
  return header + linkage + " .func (.param .b32 r) " + name + "() { st.param.b32 [r], " + std::to_string(value) +
         "; ret; }\n";
}

std::shared_ptr<Module> linked(const std::vector<std::string> &texts) {
  std::vector<Module> modules;
  for (const std::string &text : texts)
    modules.push_back(parse(text));
  return std::make_shared<Module>(link(std::move(modules)));
}

uint32_t resultOf(const std::vector<std::string> &texts) {
  TestDevice device;
  const uint64_t out = device.array(std::vector<uint32_t>{0});
  device.run(linked(texts), "main", out);
  return device.read<uint32_t>(out)[0];
}

std::string problemOf(const std::vector<std::string> &texts) {
  try {
    resultOf(texts);
  } catch (const LoadError &error) {
    return error.what();
  }
  return "";
}

TEST(Linker, FunctionsOfOtherTexts) {
  EXPECT_EQ(resultOf({caller, getter(".visible", 7)}), 7u);
  EXPECT_EQ(resultOf({getter(".visible", 8), caller}), 8u);
}

TEST(Linker, FunctionsThatNobodyDefines) {
  EXPECT_NE(problemOf({caller}).find("there is no function 'get'"), std::string::npos);
  EXPECT_NE(problemOf({caller, getter("", 7)}).find("there is no function 'get'"), std::string::npos)
      << "a function that is not visible is no other text's";
}

TEST(Linker, OneStrongDefinition) {
  EXPECT_NE(problemOf({caller, getter(".visible", 7), getter(".visible", 8)}).find("multiple definition of 'get'"),
            std::string::npos);
  EXPECT_EQ(resultOf({caller, getter(".weak", 7), getter(".visible", 8), getter(".weak", 9)}), 8u);
  EXPECT_EQ(resultOf({caller, getter(".weak", 7), getter(".weak", 9)}), 7u);
}

TEST(Linker, InternalNamesStayApart) {
  const auto module = [](const std::string &entry, int value) {
    return getter("", value) + R"(
.global .align 4 .u32 table[1] = {)" +
           std::to_string(value * 10) + R"(};
.visible .func (.param .b32 r) )" +
           entry + R"(() {
  .reg .b32 %r<4>; .param .b32 result;
  call (result), get; ld.param.b32 %r1, [result]; ld.global.u32 %r2, [table]; add.u32 %r3, %r1, %r2;
  st.param.b32 [r], %r3; ret;
})";
  };
  const std::string sum = header + R"(
.extern .func (.param .b32 r) one();
.extern .func (.param .b32 r) two();
.visible .entry main(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .param .b32 result;
  call (result), one; ld.param.b32 %r1, [result];
  call (result), two; ld.param.b32 %r2, [result];
  mad.lo.u32 %r3, %r1, 1000, %r2;
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r3; ret;
})";
  EXPECT_EQ(resultOf({sum, module("one", 1), module("two", 2)}), 11022u);
}

TEST(Linker, VariablesOfOtherTexts) {
  const std::string user = header + R"(
.extern .global .align 4 .u32 counter;
.global .align 8 .u64 where = generic(counter);
.visible .entry main(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.global.u32 %r1, [counter]; ld.global.u64 %rd1, [where]; ld.u32 %r2, [%rd1]; add.u32 %r3, %r1, %r2;
  ld.param.u64 %rd2, [out]; st.global.u32 [%rd2], %r3; ret;
})";
  EXPECT_EQ(resultOf({user, header + ".visible .global .align 4 .u32 counter = 21;"}), 42u);
  EXPECT_NE(problemOf({user}).find("'counter'"), std::string::npos);
  EXPECT_NE(problemOf({user, header + ".visible .global .u32 counter = 1;", header + ".visible .global .u32 counter;"})
                .find("multiple definition of 'counter'"),
            std::string::npos);
  EXPECT_EQ(resultOf({user, header + ".common .global .align 4 .u32 counter;",
                      header + ".visible .global .align 4 .u32 counter = 3;"}),
            6u);
  EXPECT_EQ(resultOf({user, header + ".visible .global .align 4 .u32 counter = 4;",
                      header + ".common .global .align 4 .u32 counter;"}),
            8u);
}

TEST(Linker, SharedMemoryOfEachTextIsItsOwn) {
  const std::string other = header + R"(
.shared .align 4 .u32 cell;
.visible .func (.param .b32 r) get() {
  .reg .b32 %r<2>; st.shared.u32 [cell], 5; ld.shared.u32 %r1, [cell]; st.param.b32 [r], %r1; ret;
})";
  const std::string user = header + R"(
.extern .func (.param .b32 r) get();
.shared .align 4 .u32 cell;
.visible .entry main(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<2>; .param .b32 result;
  st.shared.u32 [cell], 100; call (result), get; ld.param.b32 %r1, [result];
  ld.shared.u32 %r2, [cell]; add.u32 %r3, %r1, %r2;
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r3; ret;
})";
  EXPECT_EQ(resultOf({user, other}), 105u);
}

TEST(Linker, NamesOfBodiesHideThoseOfTheText) {
  const std::string table = ".global .align 4 .u32 table = 1;\n";
  const std::string user = header + table + R"(
.visible .entry main(.param .u64 out) {
  .shared .align 4 .u32 table; .reg .b32 %r<2>; .reg .b64 %rd<2>;
  st.shared.u32 [table], 9; ld.shared.u32 %r1, [table];
  ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; ret;
})";
  EXPECT_EQ(resultOf({user, header + table}), 9u);
}

TEST(Linker, DeclarationsThatDiffer) {
  EXPECT_NE(problemOf({caller, header + ".visible .func get() { ret; }"}).find("'get' has two signatures"),
            std::string::npos);
  EXPECT_NE(problemOf({header + ".extern .global .u32 x;", header + ".visible .const .u32 x = 1;"})
                .find("'x' has two state spaces"),
            std::string::npos);
}

TEST(Linker, LinesStayThoseOfTheirFiles) {
  const auto text = [](const std::string &file, const std::string &entry) {
    return header + ".file 1 \"" + file + "\"\n.visible .entry " + entry + "() {\n.loc 1 3 0\nret;\n}";
  };
  const auto module = linked({text("a.py", "a"), text("b.py", "b")});
  for (const char *entry : {"a", "b"}) {
    const SourceLine source = module->function(entry)->body->statements[0].source;
    EXPECT_EQ(module->files.at(source.file), std::string(entry) + ".py");
  }
}

} // namespace
} // namespace ptxmachine
