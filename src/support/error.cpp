// Errors, and the text that reports a mistake in a kernel to the user.
#include "support/error.h"

#include "support/display_width.h"
#include "support/utf8.h"

#include <algorithm>
#include <fmt/core.h>

namespace treadle {

namespace {

constexpr size_t maxLines = 15;
constexpr size_t maxColumns = 120;

class Text {
public:
  void line(std::string_view content) {
    text += content;
    text += '\n';
  }
  /// A labelled line; further lines of the content are indented below it.
  void note(std::string_view label, std::string_view content) {
    if (content.empty())
      return;
    text += label;
    for (char character : content) {
      text += character;
      if (character == '\n')
        text.append(label.size(), ' ');
    }
    text += '\n';
  }
  size_t lines() const { return size_t(std::count(text.begin(), text.end(), '\n')); }
  std::string text;
};

std::string place(const SourceRef &source, const SourceSpan &span) {
  if (!source)
    return {};
  if (!span.isKnown())
    return fmt::format("{}:{}", source->file, source->firstLine);
  const std::string_view line = source->line(span.line);
  const size_t column = characterCount(line.substr(0, span.column)) + 1;
  return fmt::format("{}:{}:{}", source->file, span.line, column);
}

/// The source line and, below it, a caret and underline for the span; a span of several lines is marked on its first.
void showSource(Text &out, const Diagnostic &diagnostic) {
  const SourceSpan &span = diagnostic.span;
  if (!diagnostic.source || !span.isKnown())
    return;
  const std::string_view line = diagnostic.source->line(span.line);
  if (line.empty())
    return;
  const std::string_view content = line.substr(0, line.find_last_not_of(" \t\f") + 1);
  const size_t end = span.endLine == span.line ? std::min<size_t>(span.endColumn, content.size()) : content.size();
  const DisplayLine shown = cutAround(displayed(content, span.column, end), maxColumns);
  const std::string number = std::to_string(span.line);
  out.line("  " + number + " | " + shown.text);
  const size_t underline = shown.width > 1 ? shown.width - 1 : 0;
  out.line(std::string(number.size() + 2, ' ') + " | " + std::string(shown.start, ' ') + "^" +
           std::string(underline, '~'));
}

/// Call sites, innermost first; those in the middle of a long chain are only counted.
void showCalls(Text &out, const Diagnostic &diagnostic) {
  const std::vector<Diagnostic::Site> &sites = diagnostic.calledFrom;
  const size_t used = out.lines();
  const size_t room = used < maxLines ? maxLines - used : 0;
  auto show = [&](const Diagnostic::Site &site) {
    std::string text = "  called from " + place(site.source, site.span);
    if (site.source && !site.source->function.empty())
      text += " in " + site.source->function;
    out.line(text);
  };
  if (sites.size() <= room) {
    std::for_each(sites.begin(), sites.end(), show);
    return;
  }
  if (room < 3)
    return;
  const size_t shown = std::min<size_t>(room - 1, 6);
  const size_t inner = shown / 2;
  const size_t outer = shown - inner;
  std::for_each(sites.begin(), sites.begin() + ptrdiff_t(inner), show);
  out.line(fmt::format("  ... {} more calls", sites.size() - inner - outer));
  std::for_each(sites.end() - ptrdiff_t(outer), sites.end(), show);
}

std::string firstLines(std::string text) {
  size_t end = 0;
  for (size_t line = 0; line < maxLines; ++line) {
    end = text.find('\n', end);
    if (end == std::string::npos)
      return text;
    ++end;
  }
  text.resize(end);
  return text;
}

std::string deviceMessage(std::string_view operation, std::string_view message) {
  return std::string(operation) + " failed: " + std::string(message);
}

} // namespace

std::string render(const Diagnostic &diagnostic) {
  Text out;
  const std::string where = place(diagnostic.source, diagnostic.span);
  out.line((where.empty() ? "" : where + ": ") + "error: " + diagnostic.message);
  showSource(out, diagnostic);
  out.note("  found:    ", diagnostic.found);
  out.note("  expected: ", diagnostic.expected);
  out.note("  help:     ", diagnostic.remedy);
  showCalls(out, diagnostic);
  std::string text = firstLines(std::move(out.text));
  text.pop_back();
  return text;
}

Error::~Error() = default;

CompileError::CompileError(Diagnostic diagnostic) : Error(render(diagnostic)), found(std::move(diagnostic)) {}
CompileError::~CompileError() = default;

DeviceError::DeviceError(std::string_view operation, CudaResult result, std::string_view message)
    : Error(fmt::format("{} (code {})", deviceMessage(operation, message), int(result))),
      text(deviceMessage(operation, message)), given(result) {}
DeviceError::~DeviceError() = default;

UsageError::UsageError(Kind kind, const std::string &message) : Error(message), category(kind) {}
UsageError::~UsageError() = default;

InternalError::~InternalError() = default;

void failCheck(const char *condition, const char *file, int line) {
  throw InternalError(
      fmt::format("internal error: {} does not hold at {}:{}; this is a bug in Treadle", condition, file, line));
}

} // namespace treadle
