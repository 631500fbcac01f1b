// What traces say of compilations.
#include "launch/traced_compile.h"

#include "launch/dispatcher.h"
#include "support/json.h"

#include <utility>

namespace treadle {

namespace {

std::string namesOf(const Facts &facts) {
  const std::pair<const char *, bool> known[] = {{"offsets_fit_int32", facts.offsetsFitInt32},
                                                 {"grid_fits_int32", facts.gridFitsInt32},
                                                 {"no_overlap", facts.noOverlap},
                                                 {"aligned16", facts.aligned16},
                                                 {"full_warps", facts.fullWarps},
                                                 {"short_rows", facts.rows != 0}};
  std::string text;
  for (const auto &[name, holds] : known)
    if (holds)
      text += std::string(name) + " ";
  return text + "block_class=" + std::to_string(facts.blockClass);
}

std::string nameOf(const Target &target) {
  return target.kind == Target::Kind::Ptx ? "sm_" + std::to_string(target.computeCapability) : "cpu";
}

} // namespace

void TracedCompile::noteSignature(const Signature &signature) {
  detail = R"("signature":)" + jsonText(signature.name());
  span.event->detail = detail;
}

void TracedCompile::noteMade(const Overload &overload, const Device &device, const Facts &facts) {
  const Target target = forced(device.target());
  detail += R"(,"target":)" + jsonText(nameOf(target)) + R"(,"facts":)" + jsonText(namesOf(facts)) +
            R"(,"from_cache":)" + (overload.imageFor(target, facts) ? "true" : "false");
  span.event->kind = TraceKind::Compile;
  span.event->device = device.traceKey();
  span.event->detail = detail;
}

} // namespace treadle
