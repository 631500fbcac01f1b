// Throws the user's mistakes, and finds the likely meaning of misspelt names.
#include "infer/flow/mistake.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <utility>

namespace treadle {

namespace {

/// For Python containers that kernels lack.
std::string_view insteadOf(std::string_view found) {
  if (found == "object list")
    return "capture a tuple, tuple(...), or an array, np.array(...)";
  return found == "object dict" ? "capture its items under names of their own, or an array of its values" : "";
}

} // namespace

void throwMistake(const Mistake &mistake, const SourceRef &source, SourceSpan span) {
  Diagnostic diagnostic;
  diagnostic.kind = mistake.kind;
  diagnostic.message = mistake.message;
  diagnostic.span = span;
  diagnostic.source = source;
  diagnostic.found = mistake.found;
  diagnostic.expected = mistake.expected;
  diagnostic.remedy = mistake.remedy.empty() ? insteadOf(mistake.found) : mistake.remedy;
  diagnostic.needsConstant = mistake.needsConstant;
  diagnostic.needsHeap = mistake.needsHeap;
  diagnostic.literalParameter = mistake.literalParameter;
  throw CompileError(std::move(diagnostic));
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string counted(size_t count, std::string_view noun) {
  const std::string singular(noun);
  const std::string plural = noun == "axis" ? "axes" : singular + "s";
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

namespace {

/// The number of insertions, deletions, replacements and swaps of neighbours that separate the two.
/// A swap counts once, as in `lenght`. Three rows are enough, since a swap looks two rows back.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(previous, row);
  }
  return previous.back();
}

} // namespace

/// At most a third of the characters may differ, but always one, and never all; of equally close candidates the first.
std::string_view closestName(std::string_view name, const std::vector<std::string_view> &candidates) {
  std::string_view best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > name.size() + bestDistance || name.size() > candidate.size() + bestDistance)
      continue;
    size_t distance = editDistance(name, candidate);
    if (distance < bestDistance && distance < std::max(name.size(), candidate.size())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

} // namespace treadle
