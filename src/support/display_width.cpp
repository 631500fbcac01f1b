// Widths of characters on a terminal: coarse, but right for the scripts used in source code.
#include "support/display_width.h"

#include "support/utf8.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace treadle {

namespace {

struct Range {
  uint32_t first, last;
};

/// Ranges of East Asian width W and F, and emoji (Unicode 15).
constexpr Range wideRanges[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4c6},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2fb}, {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0},
    {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f54b, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6d2}, {0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd},
};

/// Combining marks, joiners and variation selectors.
constexpr Range zeroRanges[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},   {0x06d6, 0x06dc},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a},
    {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},   {0x2060, 0x2064},
    {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef},
};

template <size_t count> bool isIn(const Range (&ranges)[count], uint32_t character) {
  const Range *range =
      std::lower_bound(std::begin(ranges), std::end(ranges), character,
                       [](const Range &candidate, uint32_t wanted) { return candidate.last < wanted; });
  return range != std::end(ranges) && range->first <= character;
}

size_t widthOf(uint32_t character) {
  if (character < 0x300)
    return 1;
  if (isIn(zeroRanges, character))
    return 0;
  return isIn(wideRanges, character) ? 2 : 1;
}

constexpr size_t tabStop = 4;

} // namespace

DisplayLine displayed(std::string_view line, size_t begin, size_t end) {
  DisplayLine result;
  size_t column = 0;
  size_t endColumn = 0;
  for (size_t at = 0; at < line.size();) {
    if (at == begin)
      result.start = column;
    const Utf8Character next = firstCharacter(line.substr(at));
    if (next.codePoint == '\t') {
      const size_t spaces = tabStop - column % tabStop;
      result.text.append(spaces, ' ');
      column += spaces;
    } else if (!next.isValid || next.codePoint < ' ' || (next.codePoint >= 0x7f && next.codePoint < 0xa0)) {
      result.text += '?';
      ++column;
    } else {
      result.text += line.substr(at, next.bytes);
      column += widthOf(next.codePoint);
    }
    at += next.bytes;
    if (at <= end)
      endColumn = column;
  }
  if (begin >= line.size())
    result.start = column;
  result.width = endColumn > result.start ? endColumn - result.start : 0;
  return result;
}

DisplayLine cutAround(DisplayLine line, size_t columns) {
  constexpr std::string_view mark = "...";
  const DisplayLine whole = displayed(line.text, 0, line.text.size());
  if (whole.width <= columns)
    return line;
  // A third of the window precedes the span, so that most of what follows it is visible.
  const size_t first = line.start > columns / 3 ? line.start - columns / 3 : 0;
  DisplayLine cut;
  cut.text = first > 0 ? mark : "";
  size_t column = 0;
  for (size_t at = 0; at < line.text.size();) {
    const Utf8Character next = firstCharacter(std::string_view(line.text).substr(at));
    if (column >= first && column < first + columns)
      cut.text += line.text.substr(at, next.bytes);
    column += widthOf(next.codePoint);
    at += next.bytes;
  }
  if (whole.width > first + columns)
    cut.text += mark;
  cut.start = line.start - first + (first > 0 ? mark.size() : 0);
  cut.width = std::min(line.width, first + columns - line.start);
  return cut;
}

} // namespace treadle
