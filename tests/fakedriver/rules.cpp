// Names of the rules.
#include "rules.h"

#include <array>
#include <string_view>

namespace fakecuda {

namespace {
constexpr std::array<std::string_view, static_cast<size_t>(Rule::Count)> ruleNames = {
    "not-initialized",
    "after-fork",
    "after-exit",
    "in-callback",
    "no-context",
    "context-stack",
    "context-destroyed",
    "context-mismatch",
    "invalid-argument",
    "invalid-handle",
    "wrong-kind",
    "use-after-destroy",
    "double-destroy",
    "out-of-bounds",
    "kernel-out-of-bounds",
    "misaligned",
    "use-after-free",
    "invalid-free",
    "free-in-use",
    "not-device-memory",
    "not-host-memory",
    "host-registration",
    "peer-access",
    "race",
    "host-race",
    "parameter-block",
    "kernel-signature",
    "launch-limits",
    "capture-illegal-call",
    "capture-implicit",
    "capture-isolation",
    "capture-merge",
    "capture-unjoined",
    "capture-unmatched",
    "capture-wrong-thread",
    "captured-event",
    "event-misuse",
    "hang",
    "undefined-value",
    "read-only-load",
    "kernel-barrier",
    "warp-function",
    "kernel-race",
    "kernel-deadlock",
    "unknown-instruction",
    "undefined-copy",
    "call-after-device-lost",
};
static_assert(!ruleNames.back().empty(), "a rule has no name");
} // namespace

const char *ruleName(Rule rule) { return rule < Rule::Count ? ruleNames[static_cast<size_t>(rule)].data() : nullptr; }

bool isOptional(Rule rule) { return rule == Rule::CallAfterDeviceLost || rule == Rule::UndefinedCopy; }

Rule ruleNamed(const char *name, size_t length) {
  size_t index = 0;
  while (index < ruleNames.size() && ruleNames[index] != std::string_view(name, length))
    ++index;
  return static_cast<Rule>(index);
}

} // namespace fakecuda
