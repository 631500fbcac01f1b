// Lowers the arguments of a signature to leaves of the parameter block, in the order of Emitter::leafTypes.
#pragma once

#include "border/parameter_layout.h"
#include "types/signature.h"

#include <span>
#include <vector>

namespace treadle {
class TypedFunction;
}

namespace treadle::codegen {

/// Every leaf of the arguments in order. Offsets are not set. Extents take 4 bytes or 8.
std::vector<ParameterLeaf> parameterLeaves(const Signature &signature, unsigned extentBytes = 8);

/// Sets the offsets of the leaves: each at the next multiple of its size, as the CUDA driver lays out parameters.
ParameterLayout layOut(std::vector<ParameterLeaf> leaves);

/// The parameter that each leaf of the arguments belongs to.
std::vector<unsigned> parametersOf(const TypedFunction &function);

/// Image::writes, from the tree. `leaves`: of the kernel's arguments, including Nones.
std::vector<bool> writtenLeaves(const TypedFunction &kernel, std::span<const ParameterLeaf> leaves);

} // namespace treadle::codegen
