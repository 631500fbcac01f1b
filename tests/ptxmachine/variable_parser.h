// Declarations of variables, which modules, parameter lists and bodies share.
#pragma once

#include "lexer.h"
#include "module.h"

namespace ptxmachine {

std::optional<Space> spaceNamed(std::string_view directive);

/// One variable, from after its space to before `;`, `,` or `)`.
Variable declaration(Lexer &lexer, Space space);

/// All variables of a statement, to after its `;`.
std::vector<Variable> declarations(Lexer &lexer, Space space, Linkage linkage);

} // namespace ptxmachine
