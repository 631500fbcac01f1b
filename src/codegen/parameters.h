// How the arguments of a signature become leaves of a kernel's parameter block: the same order as Emitter::leafTypes.
#pragma once

#include "border/image.h"
#include "types/signature.h"

#include <vector>

namespace treadle::codegen {

/// Every leaf of the arguments in order. Offsets are not set. Extents take 4 bytes or 8.
std::vector<ParameterLeaf> parameterLeaves(const Signature &signature, unsigned extentBytes = 8);

/// Sets the offsets of the leaves: each at the next multiple of its size, as the CUDA driver places parameters.
ParameterLayout layOut(std::vector<ParameterLeaf> leaves);

} // namespace treadle::codegen
