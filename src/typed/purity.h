// purity: the effects of evaluating an expression, besides its value.
#pragma once

#include "typed/typed.h"

namespace treadle {

/// The effects of the expression, including its Blocks and the functions that it calls. Visits each node below once;
/// those of a function were recorded when it was finished (FunctionHeader::effects). The checks that debug adds to
/// indices and divisors do not count.
Effects effectsOf(const typed::Expr &expression);
Effects effectsOf(typed::Body body);

/// The effects of the function itself, from its tree. A recursive call adds nothing.
Effects effectsOf(const TypedFunction &function);

/// The expression may be evaluated any number of times, or never, without an observable difference, as long as the
/// memory and variables that it reads are not written in between: it writes nothing, assigns nothing, raises nothing,
/// does not synchronise with other threads and reads no clock. Its value may still depend on memory (`reads`) and on
/// the thread (`isOfThread`).
bool isPure(const typed::Expr &expression);

} // namespace treadle
