// Loops: over range, arrays and tuples; while.
#pragma once

#include "infer/flow/flow_builder.h"
#include "infer/statements/assignments.h"

namespace treadle {

class Statements;

/// Unrolled bodies outlive the flow, which is built anew whenever a loop turns out to need them.
class Loops {
public:
  Loops(Expressions &expressions, Assignments &assignments, Solver &solver, Statements &statements)
      : expressions(expressions), assignments(assignments), solver(solver), statements(statements),
        flow(expressions.instance.flow), tree(expressions.instance.tree),
        sequences(expressions.instance.values.sequences), enumerations(expressions.parts.enumerations),
        statics(expressions.parts.statics) {}

  /// Types the target. Abandons solving if the loop must be unrolled.
  void bindElement(const syntax::For &loop);
  /// For a loop over consteval(...): makes the copies if the items are known already.
  void unrollEarly(const syntax::For &loop);
  void buildFor(const syntax::For &loop);
  void buildWhile(const syntax::While &loop);
  const UnrolledBodies &unrolledBodies() const { return unrolled; }

private:
  struct Iteration {
    enum class Kind : uint8_t { Range, Counted, Unrolled } kind;
    Items parts; ///< Range: start, stop, step, in the counter's type; Unrolled: the items; Counted: the container
  };
  Iteration iterate(const syntax::For &loop);
  void requestUnroll(const syntax::For &loop, size_t count);
  /// Replaces the copies of the loop, if there are any.
  void makeCopies(const syntax::For &loop, size_t count);
  void buildRange(const syntax::For &loop, const Iteration &iteration);
  void buildCounted(const syntax::For &loop, typed::Expr *series);
  void buildUnrolled(const syntax::For &loop, const Iteration &iteration);

  Expressions &expressions;
  Assignments &assignments;
  Solver &solver;
  Statements &statements;
  Flow &flow;
  Tree &tree;
  Sequences &sequences;
  Enumerations &enumerations;
  StaticValues &statics;
  UnrolledBodies unrolled;
  Arena copies;         ///< of unrolled loop bodies
  size_t copyCount = 0; ///< of bodies of loops over consteval(...)
};

} // namespace treadle
