// WarpShapes: the shapes of slots and the divergence of control flow, as found by emission so far.
#pragma once

#include "typed/typed.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace treadle::codegen {

/// The shape of a slot's leaf, over all its assignments. It only ever rises.
struct LeafShape {
  enum class Kind : uint8_t { Unset, Uniform, Affine, Varying } kind = Kind::Unset;
  /// Affine: strides along the lanes of a run and from run to run, if they are the same constants everywhere.
  std::optional<int64_t> s0 = {}, s1 = {};
  bool isAligned = false; ///< Affine: lane 0 holds a multiple of 32
  /// Uniform: its constant value. Only for extents and strides, as most other variables that start out as constants
  /// change, which would take another round.
  std::optional<int64_t> value = {};
  bool operator==(const LeafShape &) const = default;
};

LeafShape join(const LeafShape &a, const LeafShape &b);

/// The protocol of rounds. A function is emitted under optimistic assumptions: a slot is uniform, a loop is left by all
/// lanes together. Code that contradicts an assumption weakens it and sets `changed`; that round is void: its output is
/// discarded, so it need only be well-formed, and the function is emitted again until no assumption is contradicted. So
/// shapes need no separate analysis, which would have to agree with the emitter. Assumptions only ever weaken, and
/// shapes have four levels; emission is linear and cheap compared to LLVM's work. Two or three rounds suffice.
class WarpShapes {
public:
  bool changed = false;

  /// Activations are identified by the path of calls, and of loops serialised per lane, that leads to them.
  unsigned activation(unsigned caller, const void *site) {
    return activations.try_emplace({caller, site}, unsigned(activations.size()) + 1).first->second;
  }

  /// The activation of an outlined function, in which those of its callees are nested.
  unsigned root(const TypedFunction &callee, const std::string &argumentShapes) {
    return roots.try_emplace({&callee, argumentShapes}, unsigned(roots.size()) + 1).first->second;
  }

  const LeafShape &leaf(unsigned activation, uint32_t slot, unsigned leaf) { return leaves[{activation, slot, leaf}]; }
  /// Joins `shape` into the known one, and returns the result.
  const LeafShape &raise(unsigned activation, uint32_t slot, unsigned leaf, const LeafShape &shape) {
    LeafShape &known = leaves[{activation, slot, leaf}];
    const LeafShape joined = join(known, shape);
    changed |= joined != known;
    known = joined;
    return known;
  }

  /// Some lanes may leave this loop, or an iteration of it, before others; with `statement` nullptr, the activation.
  bool diverges(unsigned activation, const typed::Stmt *statement) { return divergent[{activation, statement}]; }
  void setDivergent(unsigned activation, const typed::Stmt *statement) {
    bool &known = divergent[{activation, statement}];
    changed |= !known;
    known = true;
  }

private:
  std::map<std::pair<const TypedFunction *, std::string>, unsigned> roots;
  std::map<std::pair<unsigned, const void *>, unsigned> activations;
  std::map<std::tuple<unsigned, uint32_t, unsigned>, LeafShape> leaves;
  std::map<std::pair<unsigned, const typed::Stmt *>, bool> divergent;
};

} // namespace treadle::codegen
