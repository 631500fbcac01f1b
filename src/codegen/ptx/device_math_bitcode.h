// The bitcode of our own device math, inside the compiler library.
#pragma once

#include <string_view>

namespace treadle::codegen::ptx {

/// An LLVM module for nvptx64 that defines every __nv_ function of the math table. It is followed by the
/// zero byte that LLVM's reader requires.
std::string_view builtInDeviceMath();

} // namespace treadle::codegen::ptx
