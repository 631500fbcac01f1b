// Prints the math functions as the rows of a Markdown table: docs/tables.py puts them into math.md.
#include "codegen/math_table.h"
#include "math/routine_table.h"

#include <iostream>

using namespace treadle;
using namespace treadle::codegen;
using namespace treadle::math;

namespace {

std::string_view sourceName(RoutineSource source) {
  constexpr std::string_view names[] = {"libmvec",   "SLEEF 0.5", "SLEEF 1.0", "SLEEF 1.5",
                                        "SLEEF 3.5", "SLEEF",     "Treadle"};
  return names[static_cast<unsigned>(source)];
}

/// "SLEEF 1.0, Treadle (AVX2), libmvec (AVX-512)": each level only where it differs from the one below.
void printSources(const RoutineChoice &choice) {
  std::cout << sourceName(choice.sse);
  if (choice.avx2 != choice.sse)
    std::cout << ", " << sourceName(choice.avx2) << " from AVX2 on";
  if (choice.avx512 != choice.avx2)
    std::cout << ", " << sourceName(choice.avx512) << " with AVX-512";
}

void printType(const codegen::MathFunction &function, const TypeChoice *choice, bool isDouble) {
  unsigned bound = isDouble ? function.bound64 : function.bound32;
  unsigned own = isDouble ? function.own64 : function.own32;
  std::cout << " | " << bound << " | " << (choice ? choice->ulp : 0) << " | " << own << " | ";
  if (choice)
    printSources(choice->normal);
  else
    std::cout << (function.operation == Operation::Fmod ? "Treadle" : "an instruction");
}

} // namespace

int main() {
  for (const codegen::MathFunction &function : codegen::mathFunctions())
    for (bool isDouble : {false, true}) {
      const MathRoutineRow *row = findMathRoutine(function.name);
      std::cout << "| `" << function.name << "` | " << (isDouble ? "float64" : "float32");
      printType(function, row ? isDouble ? &row->f64 : &row->f32 : nullptr, isDouble);
      std::cout << " |\n";
    }
}
