// The trace events of compilations.
#include "launch/traced_compile.h"

#include "launch/dispatcher.h"
#include "runtime/variant_names.h"

namespace treadle {

void TracedCompile::noteSignature(const Signature &signature) {
  detail.add("signature", signature.name());
  span.event->detail = detail.withoutBraces();
}

void TracedCompile::noteMade(const Overload &overload, const Device &device, const Facts &facts) {
  const Target target = forced(device.target());
  detail.add("target", nameOf(target)).add("facts", namesOf(facts));
  detail.addValue("from_cache", overload.imageFor(target, facts) ? "true" : "false");
  span.event->kind = TraceKind::Compile;
  span.event->device = device.traceKey();
  span.event->detail = detail.withoutBraces();
}

} // namespace treadle
