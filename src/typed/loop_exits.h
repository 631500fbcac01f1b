// The statements that leave a loop's body early: one definition, for typed trees and for syntax trees.
#pragma once

#include "typed/typed.h"

namespace treadle::typed {

/// The kinds of statement in a loop's body that transfer control out of it.
struct LoopExits {
  bool byBreak = false, byContinue = false; ///< out of this loop
  bool byReturn = false;

  bool ofLoop() const { return byBreak || byContinue; }
};

/// The interface that `loopExits` needs of a kind of tree.
struct TypedTree {
  using Body = typed::Body;
  using StmtKind = typed::StmtKind;
  using If = typed::If;
  using While = typed::While;
  using For = typed::Range;
  static constexpr StmtKind forKind = StmtKind::Range;
};

/// The exits of the loop with this body. A nested loop consumes the `break` and `continue` of its own body; those in
/// its else clause belong to the enclosing loop. Blocks contain no exits that leave them.
template <typename Tree = TypedTree> LoopExits loopExits(typename Tree::Body body) {
  using Kind = typename Tree::StmtKind;
  LoopExits exits;
  auto add = [&](typename Tree::Body inner, bool isLoopBody) {
    const LoopExits below = loopExits<Tree>(inner);
    exits.byBreak |= below.byBreak && !isLoopBody;
    exits.byContinue |= below.byContinue && !isLoopBody;
    exits.byReturn |= below.byReturn;
  };
  auto addLoop = [&](const auto &loop) {
    add(loop.body, true);
    add(loop.otherwise, false);
  };
  for (const auto *statement : body) {
    exits.byBreak |= statement->kind == Kind::Break;
    exits.byContinue |= statement->kind == Kind::Continue;
    exits.byReturn |= statement->kind == Kind::Return;
    if (statement->kind == Kind::If) {
      add(statement->template as<typename Tree::If>().then, false);
      add(statement->template as<typename Tree::If>().otherwise, false);
    } else if (statement->kind == Kind::While) {
      addLoop(statement->template as<typename Tree::While>());
    } else if (statement->kind == Tree::forKind) {
      addLoop(statement->template as<typename Tree::For>());
    }
  }
  return exits;
}

} // namespace treadle::typed
