// WarpShapes: what emission has learnt so far about the shapes of slots and the divergence of control.
#pragma once

#include "typed/typed.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace treadle::codegen {

/// The shape of what a slot's leaf holds, over all its assignments. It only ever rises.
struct LeafShape {
  enum class Kind : uint8_t { Unset, Uniform, Affine, Varying } kind = Kind::Unset;
  int64_t s0 = 0;            ///< Affine: stride along the lanes of a run
  std::optional<int64_t> s1; ///< Affine: stride from run to run, where it is the same constant everywhere
  bool isAligned = false;    ///< Affine: lane 0 holds a multiple of 32
  bool operator==(const LeafShape &) const = default;
};

LeafShape join(const LeafShape &a, const LeafShape &b);

/// A function is emitted under assumptions (a slot is uniform, a loop is left by all lanes together). What contradicts
/// one raises it and sets `changed`; the function is then thrown away and emitted again, until nothing contradicts. So
/// shapes need no analysis of their own that would have to agree with the emitter. Emission is linear and cheap beside
/// LLVM's work, and shapes have three levels, so two or three rounds do.
class WarpShapes {
public:
  bool changed = false;

  /// Activations are known by the path of calls that leads to them.
  unsigned activation(unsigned caller, const typed::Call *site) {
    return activations.try_emplace({caller, site}, unsigned(activations.size()) + 1).first->second;
  }

  /// Of a function of its own, from which its activation and those of what it calls start.
  unsigned root(const TypedFunction &callee, const std::string &argumentShapes) {
    return roots.try_emplace({&callee, argumentShapes}, unsigned(roots.size()) + 1).first->second;
  }

  const LeafShape &leaf(unsigned activation, uint32_t slot, unsigned leaf) { return leaves[{activation, slot, leaf}]; }
  /// The shape after it has taken `shape` in.
  const LeafShape &raise(unsigned activation, uint32_t slot, unsigned leaf, const LeafShape &shape) {
    LeafShape &known = leaves[{activation, slot, leaf}];
    const LeafShape joined = join(known, shape);
    changed |= joined != known;
    known = joined;
    return known;
  }

  /// Some lanes may leave this loop, or an iteration of it, before others. `statement` null: the activation returns so.
  bool diverges(unsigned activation, const typed::Stmt *statement) { return divergent[{activation, statement}]; }
  void setDivergent(unsigned activation, const typed::Stmt *statement) {
    bool &known = divergent[{activation, statement}];
    changed |= !known;
    known = true;
  }

private:
  std::map<std::pair<const TypedFunction *, std::string>, unsigned> roots;
  std::map<std::pair<unsigned, const typed::Call *>, unsigned> activations;
  std::map<std::tuple<unsigned, uint32_t, unsigned>, LeafShape> leaves;
  std::map<std::pair<unsigned, const typed::Stmt *>, bool> divergent;
};

} // namespace treadle::codegen
