// What users see of a mistake: position, line, caret, notes; widths of characters; never more than 15 lines.
#include "support/display_width.h"
#include "support/error.h"
#include "support/utf8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

using namespace treadle;

namespace {

SourceRef sourceOf(std::string text, uint32_t firstLine = 10, std::string function = "kernel") {
  return std::make_shared<const SourceText>(SourceText{"file.py", std::move(function), firstLine, std::move(text)});
}

Diagnostic diagnosticAt(SourceRef source, SourceSpan span) {
  Diagnostic diagnostic;
  diagnostic.message = "that is wrong";
  diagnostic.source = std::move(source);
  diagnostic.span = span;
  return diagnostic;
}

size_t lineCount(const std::string &text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

TEST(SourceText, KnowsItsLinesByTheirNumberInTheFile) {
  const SourceRef source = sourceOf("def f():\r\n    pass\n\nlast");
  EXPECT_EQ(source->line(10), "def f():");
  EXPECT_EQ(source->line(11), "    pass");
  EXPECT_EQ(source->line(12), "");
  EXPECT_EQ(source->line(13), "last");
  EXPECT_EQ(source->line(14), "");
  EXPECT_EQ(source->line(9), "");
}

TEST(Render, ShowsPlaceLineCaretAndNotes) {
  Diagnostic diagnostic = diagnosticAt(sourceOf("def f(x):\n    return x + foo\n"), {11, 15, 11, 18});
  diagnostic.found = "nothing";
  diagnostic.expected = "a name";
  diagnostic.remedy = "define it";
  EXPECT_EQ(render(diagnostic), "file.py:11:16: error: that is wrong\n"
                                "  11 |     return x + foo\n"
                                "     |                ^~~\n"
                                "  found:    nothing\n"
                                "  expected: a name\n"
                                "  help:     define it");
}

TEST(Render, LeavesOutWhatThereIsNot) {
  EXPECT_EQ(render(diagnosticAt(nullptr, {})), "error: that is wrong");
  EXPECT_EQ(render(diagnosticAt(sourceOf("x"), {})), "file.py:10: error: that is wrong");
  EXPECT_EQ(render(diagnosticAt(sourceOf("x"), {99, 0, 99, 1})), "file.py:99:1: error: that is wrong");
}

TEST(Render, UnderlinesOneCharacterByACaretAlone) {
  EXPECT_EQ(render(diagnosticAt(sourceOf("a + b"), {10, 2, 10, 3})), "file.py:10:3: error: that is wrong\n"
                                                                     "  10 | a + b\n"
                                                                     "     |   ^");
  EXPECT_EQ(render(diagnosticAt(sourceOf("a + b"), {10, 5, 10, 5})), "file.py:10:6: error: that is wrong\n"
                                                                     "  10 | a + b\n"
                                                                     "     |      ^");
}

TEST(Render, UnderlinesTheFirstLineOfALongSpan) {
  EXPECT_EQ(render(diagnosticAt(sourceOf("f(a,  \n  b)"), {10, 0, 11, 4})), "file.py:10:1: error: that is wrong\n"
                                                                            "  10 | f(a,\n"
                                                                            "     | ^~~~");
}

TEST(Render, CountsColumnsInCharactersAndPutsTheCaretByWidth) {
  // Six bytes, two characters, four columns; then three bytes for the letter and its combining accent.
  const SourceRef source = sourceOf("変数 + e\u0301 + bad");
  EXPECT_EQ(render(diagnosticAt(source, {10, 15, 10, 18})), "file.py:10:11: error: that is wrong\n"
                                                            "  10 | 変数 + e\u0301 + bad\n"
                                                            "     |            ^~~");
  EXPECT_EQ(render(diagnosticAt(source, {10, 0, 10, 6})), "file.py:10:1: error: that is wrong\n"
                                                          "  10 | 変数 + e\u0301 + bad\n"
                                                          "     | ^~~~");
}

TEST(Render, ExpandsTabs) {
  EXPECT_EQ(render(diagnosticAt(sourceOf("\tif x:\ty"), {10, 4, 10, 5})), "file.py:10:5: error: that is wrong\n"
                                                                          "  10 |     if x:   y\n"
                                                                          "     |        ^");
}

TEST(Render, ShowsBrokenBytesAsQuestionMarks) {
  EXPECT_EQ(render(diagnosticAt(sourceOf("a\xff\x1b b"), {10, 4, 10, 5})), "file.py:10:5: error: that is wrong\n"
                                                                           "  10 | a?? b\n"
                                                                           "     |     ^");
}

TEST(Render, CutsLongLinesAroundTheSpan) {
  const std::string line = std::string(500, 'a') + "bad" + std::string(500, 'c');
  const std::string text = render(diagnosticAt(sourceOf(line), {10, 500, 10, 503}));
  EXPECT_EQ(text, "file.py:10:501: error: that is wrong\n"
                  "  10 | ..." +
                      std::string(40, 'a') + "bad" + std::string(77, 'c') +
                      "...\n"
                      "     | " +
                      std::string(43, ' ') + "^~~");
}

TEST(Render, NamesCallSitesInnermostFirst) {
  Diagnostic diagnostic = diagnosticAt(nullptr, {});
  diagnostic.calledFrom = {{{11, 1, 11, 2}, sourceOf("x\n f()", 10, "middle")}, {{10, 0, 10, 1}, sourceOf("g()")}};
  EXPECT_EQ(render(diagnostic), "error: that is wrong\n"
                                "  called from file.py:11:2 in middle\n"
                                "  called from file.py:10:1 in kernel");
}

TEST(Render, IsNeverLongerThanFifteenLines) {
  Diagnostic diagnostic = diagnosticAt(sourceOf("x"), {10, 0, 10, 1});
  diagnostic.found = "two\nlines";
  diagnostic.remedy = "this";
  diagnostic.calledFrom.assign(200, {{10, 0, 10, 1}, sourceOf("g()")});
  std::string text = render(diagnostic);
  EXPECT_LE(lineCount(text), 15u);
  EXPECT_NE(text.find("  ... 194 more calls"), std::string::npos) << text;
  diagnostic.expected = std::string(40, '\n');
  text = render(diagnostic);
  EXPECT_EQ(lineCount(text), 15u);
}

TEST(Errors, CarryWhatTheyWereMadeOf) {
  Diagnostic diagnostic = diagnosticAt(nullptr, {});
  diagnostic.kind = CompileErrorKind::Index;
  const CompileError compile(diagnostic);
  EXPECT_STREQ(compile.what(), "error: that is wrong");
  EXPECT_EQ(compile.diagnostic().kind, CompileErrorKind::Index);
  EXPECT_STREQ(DeviceError("cuMemAlloc of 8 bytes", CudaResult::OutOfMemory, "out of memory").what(),
               "cuMemAlloc of 8 bytes failed: out of memory (code 2)");
  EXPECT_EQ(DeviceError("x", CudaResult(719), "").result(), CudaResult(719));
  EXPECT_EQ(UsageError(UsageError::Kind::Overflow, "x").kind(), UsageError::Kind::Overflow);
  EXPECT_THROW(TREADLE_CHECK(diagnostic.span.isKnown()), InternalError);
  EXPECT_NO_THROW(TREADLE_CHECK(!diagnostic.span.isKnown()));
}

TEST(DisplayWidth, CountsCharacters) {
  EXPECT_EQ(characterCount(""), 0u);
  EXPECT_EQ(characterCount("aé変😀"), 4u);
}

TEST(DisplayWidth, KnowsWideAndCombiningCharacters) {
  EXPECT_EQ(displayed("aé", 0, 3).width, 2u);
  EXPECT_EQ(displayed("変", 0, 3).width, 2u);
  EXPECT_EQ(displayed("😀", 0, 4).width, 2u);
  EXPECT_EQ(displayed("한", 0, 3).width, 2u);
  EXPECT_EQ(displayed("e\u0301", 0, 3).width, 1u);
  EXPECT_EQ(displayed("α", 0, 2).width, 1u);
}

} // namespace
