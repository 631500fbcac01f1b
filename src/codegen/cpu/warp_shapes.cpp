// WarpShapes: the lattice of leaf shapes.
#include "codegen/cpu/warp_shapes.h"

namespace treadle::codegen {

LeafShape join(const LeafShape &a, const LeafShape &b) {
  using Kind = LeafShape::Kind;
  if (a == b || b.kind == Kind::Unset)
    return a;
  if (a.kind == Kind::Unset)
    return b;
  if (a.kind == Kind::Affine && b.kind == Kind::Affine && a.s0 == b.s0)
    return {Kind::Affine, a.s0, a.s1 == b.s1 ? a.s1 : std::nullopt, a.isAligned && b.isAligned};
  return {Kind::Varying, 0, std::nullopt};
}

} // namespace treadle::codegen
