// purity: what evaluating an expression does besides giving its value.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// Of the expression, its Blocks and the functions that it calls. Looks once at each node below; what a function does
/// is known from when it was finished (FunctionHeader::effects). The checks that debug adds to indices and divisors do
/// not count.
Effects effectsOf(const typed::Expr &expression);
Effects effectsOf(typed::Body body);

/// The function's own, from its tree. A call of itself adds nothing.
Effects effectsOf(const TypedFunction &function);

/// Nobody can tell how often the expression is evaluated, or whether it is, as long as nobody writes the memory and the
/// variables that it reads in between: it writes nothing, assigns nothing, raises nothing, meets nobody and reads no
/// clock. Its value is another question: it may still depend on memory (`reads`) and on the thread (`isOfThread`).
bool isPure(const typed::Expr &expression);

} // namespace treadle
