// WarpShapes: the lattice of leaf shapes.
#include "codegen/cpu/lanes/warp_shapes.h"

namespace treadle::codegen {

LeafShape join(const LeafShape &a, const LeafShape &b) {
  using Kind = LeafShape::Kind;
  if (a == b || b.kind == Kind::Unset)
    return a;
  if (a.kind == Kind::Unset)
    return b;
  if (a.kind == Kind::Uniform && b.kind == Kind::Uniform)
    return {Kind::Uniform};
  // Of two constants neither is known where the variable is read, and their benefit would be lost.
  const bool differ = a.s0 && b.s0 && a.s0 != b.s0;
  if (a.kind != Kind::Affine || b.kind != Kind::Affine || differ)
    return {Kind::Varying};
  return {Kind::Affine, a.s0 == b.s0 ? a.s0 : std::nullopt, a.s1 == b.s1 ? a.s1 : std::nullopt,
          a.isAligned && b.isAligned};
}

} // namespace treadle::codegen
