// What code is compiled for, as traces and dumps name it.
#pragma once

#include <string>

namespace treadle {

struct Facts;
struct Target;

/// "sm_90", "cpu".
std::string nameOf(const Target &target);
/// The facts that hold, separated by spaces.
std::string namesOf(const Facts &facts);

} // namespace treadle
