// Statements of the typed tree that are the same in every lane model.
#include "codegen/emitter.h"
#include "support/error.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

/// Where the old value is not used, the lanes of a warp may be combined into one operation.
void emitEffect(Emitter &e, const typed::Expr &value) {
  if (value.kind == typed::ExprKind::Atomic)
    e.emitAtomic(value.as<typed::Atomic>(), false);
  else
    e.emit(value);
}

} // namespace

/// Codes of errors are positions in the image's list, one for each combination of class and arguments.
void Emitter::emitRaise(const Leaf &failed, RaisedError error, const SourceSpan &span) {
  // The same statement may be emitted more than once.
  std::vector<RaisedError> &known = model.raised();
  auto found = llvm::find(known, error);
  const Fault fault = raisedFault(uint32_t(found - known.begin()));
  if (found == known.end())
    known.push_back(std::move(error));
  model.emitCheck(failed, fault, placeOf(span));
}

/// The parts of a statement are emitted in the order in which typed/typed.h has them evaluated: IR that is emitted
/// first runs first. Assignments that `gridIds` makes dead have no reader left.
void Emitter::emitStatement(const typed::Stmt &statement) {
  switch (statement.kind) {
  case typed::StmtKind::Assign: {
    const auto &assign = statement.as<typed::Assign>();
    if (options.gridIds && options.gridIds->dead.contains(&statement))
      return;
    model.writeSlot(*frame, *assign.slot, emit(*assign.value));
    return;
  }
  case typed::StmtKind::Store:
    return emitStore(statement.as<typed::Store>());
  case typed::StmtKind::Effect:
    return emitEffect(*this, *statement.as<typed::Effect>().value);
  case typed::StmtKind::If:
    return model.emitIf(statement.as<typed::If>());
  case typed::StmtKind::While:
    return model.emitWhile(statement.as<typed::While>());
  case typed::StmtKind::Range:
    return model.emitRange(statement.as<typed::Range>());
  case typed::StmtKind::Break:
    return model.emitBreak();
  case typed::StmtKind::Continue:
    return model.emitContinue();
  case typed::StmtKind::Return: {
    const auto *value = statement.as<typed::Return>().value;
    return model.emitReturn(value ? emit(*value) : Lanes());
  }
  case typed::StmtKind::Barrier:
    return model.emitBarrier(statement.as<typed::Barrier>());
  case typed::StmtKind::Raise: { // as Numba: kernels compiled without debug ignore both
    const auto &raise = statement.as<typed::Raise>();
    if (options.debug)
      emitRaise(builder.getTrue(),
                {std::string(raise.exceptionClass), raise.exceptionHandle, std::string(raise.qualifiedClass),
                 std::string(raise.arguments)},
                raise.span);
    return;
  }
  case typed::StmtKind::Assert: {
    const auto &assertion = statement.as<typed::Assert>();
    if (!options.debug)
      return;
    Leaf holds = emitLeaf(*assertion.test);
    emitRaise(apply(holds, [&](ArrayRef<Value *> v) { return builder.CreateNot(v[0]); }),
              {std::string(assertion.exceptionClass), 0, "", std::string(assertion.arguments)}, assertion.span);
    return;
  }
  case typed::StmtKind::Print:
    return emitPrint(statement.as<typed::Print>());
  }
}

} // namespace treadle::codegen
