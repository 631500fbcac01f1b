// The bitcode of our own device math, inside the compiler library.
#include "codegen/ptx/device_math_bitcode.h"

// TREADLE_DEVICE_MATH_BITCODE is the file's path. The assembler copies it; a C array of it would take seconds to
// compile.
asm(".section .rodata,\"a\",@progbits\n"
    ".balign 16\n"
    ".hidden treadle_device_math_begin\n"
    ".globl treadle_device_math_begin\n"
    "treadle_device_math_begin:\n"
    ".incbin \"" TREADLE_DEVICE_MATH_BITCODE "\"\n"
    ".hidden treadle_device_math_end\n"
    ".globl treadle_device_math_end\n"
    "treadle_device_math_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char treadle_device_math_begin[], treadle_device_math_end[];

namespace treadle::codegen::ptx {

std::string_view builtInDeviceMath() {
  return {treadle_device_math_begin, size_t(treadle_device_math_end - treadle_device_math_begin)};
}

} // namespace treadle::codegen::ptx
