// Expressions and statements as the text of dumps.
#pragma once

#include "typed/typed.h"

#include <string>

namespace treadle::typed {

std::string printed(const Expr &expression);
/// Its first line, without the statements in its bodies.
std::string printed(const Stmt &statement);

} // namespace treadle::typed
