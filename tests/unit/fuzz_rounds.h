// How often fuzz tests try: few times in a quick run, more often where TREADLE_FUZZ_ROUNDS says so.
#pragma once

#include <cstdlib>

namespace treadle {

inline int fuzzRounds(int quick) {
  const char *rounds = std::getenv("TREADLE_FUZZ_ROUNDS");
  return rounds ? std::atoi(rounds) : quick;
}

} // namespace treadle
