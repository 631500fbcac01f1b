// TracedCompile: inference, or the making of a kernel, as traces show it.
#pragma once

#include "launch/overload.h"
#include "support/text/json.h"
#include "support/trace.h"

#include <string>

namespace treadle {

/// Notes what its scope does: inference, unless told what is compiled.
class TracedCompile {
public:
  TracedCompile(const std::string &name, const Signature &signature) : span(TraceKind::Infer, name) {
    if (span.event) [[unlikely]]
      noteSignature(signature);
  }

  /// A kernel is compiled for a device; from an existing image, if the overload has one.
  void makes(const Overload &overload, const Device &device, const Facts &facts) {
    if (span.event) [[unlikely]]
      noteMade(overload, device, facts);
  }

private:
  void noteSignature(const Signature &signature);
  void noteMade(const Overload &overload, const Device &device, const Facts &facts);

  JsonFields detail; ///< what `span` refers to
  TraceSpan span;
};

} // namespace treadle
