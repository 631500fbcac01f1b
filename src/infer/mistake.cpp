// Throwing the user's mistakes, and finding what a misspelt name means.
#include "infer/mistake.h"

#include <algorithm>
#include <numeric>

namespace treadle {

void throwMistake(const Mistake &mistake, const SourceRef &source, SourceSpan span) {
  Diagnostic diagnostic;
  diagnostic.kind = mistake.kind;
  diagnostic.message = mistake.message;
  diagnostic.span = span;
  diagnostic.source = source;
  diagnostic.found = mistake.found;
  diagnostic.expected = mistake.expected;
  diagnostic.remedy = mistake.remedy;
  throw CompileError(std::move(diagnostic));
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// Number of insertions, deletions and replacements between the two.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      row[j] = std::min({above + 1, row[j - 1] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

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
