# Our own math: vector routines for each instruction set level, for the runtime (target treadle_routines), and bitcode
# for PTX, for the compiler (target treadle_math).
add_library(treadle_math STATIC src/codegen/ptx/math/device_math_bitcode.cpp)
treadle_common(treadle_math)
add_library(treadle_routines INTERFACE)
file(GLOB mathSources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/math/own/*.cpp")

foreach(level sse:x86-64-v2 avx2:x86-64-v3 avx512:x86-64-v4)
  string(REPLACE ":" ";" level "${level}")
  list(GET level 0 isa)
  list(GET level 1 architecture)
  add_library(treadle_math_${isa} STATIC ${mathSources})
  treadle_common(treadle_math_${isa})
  target_compile_definitions(treadle_math_${isa} PRIVATE TREADLE_ISA=${isa})
  # Fused operations only where the source requests them: results must not depend on the compiler's choices.
  target_compile_options(treadle_math_${isa} PRIVATE -march=${architecture} -mprefer-vector-width=512 -O2 -fwrapv
                         -ffp-contract=off -fno-math-errno)
  target_link_libraries(treadle_routines INTERFACE treadle_math_${isa})
endforeach()

# Bitcode: our C over libclc, reduced to the functions with libdevice's names.
find_program(TREADLE_CLANG NAMES clang-19 HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
find_program(TREADLE_LLVM_LINK NAMES llvm-link HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
find_program(TREADLE_OPT NAMES opt HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH REQUIRED)
find_file(TREADLE_LIBCLC NAMES nvptx64--nvidiacl.bc PATHS /usr/lib/clc /usr/share/clc REQUIRED)

# treadle_device_math(output sources...): one bitcode file of these sources and what they use from libclc.
function(treadle_device_math output)
  set(parts)
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(part "${output}.${name}.bc")
    add_custom_command(OUTPUT "${part}" DEPENDS "${source}" VERBATIM
      COMMAND "${TREADLE_CLANG}" --target=nvptx64-nvidia-cuda -nocudalib -ffreestanding -ffp-contract=off -O2
              -Xclang -disable-llvm-passes -Wall -Wextra -emit-llvm -c "${source}" -o "${part}")
    list(APPEND parts "${part}")
  endforeach()
  add_custom_command(OUTPUT "${output}" DEPENDS ${parts} VERBATIM
    COMMAND "${TREADLE_LLVM_LINK}" ${parts} -o "${output}.ours"
    COMMAND "${TREADLE_LLVM_LINK}" --suppress-warnings --only-needed "${output}.ours" "${TREADLE_LIBCLC}"
            -o "${output}.all"
    COMMAND "${TREADLE_OPT}" --strip-debug "-passes=internalize,globaldce,default<O2>,globaldce"
            "-internalize-public-api-list=__nv_*" "${output}.all" -o "${output}")
endfunction()

set(deviceMath "${TREADLE_GENERATED}/device_math.bc")
set(deviceMathSources "${CMAKE_SOURCE_DIR}/src/codegen/ptx/math/device_math.c"
                      "${CMAKE_SOURCE_DIR}/src/codegen/ptx/math/device_math_power.c")
set(fusedMath "${TREADLE_GENERATED}/device_math_fused.bc")
treadle_device_math("${fusedMath}" ${deviceMathSources}
                    "${CMAKE_SOURCE_DIR}/src/codegen/ptx/math/device_math_fast.c")
# In PTX any product may become part of a fused operation (codegen/ptx/ptx_backend.cpp), which these functions do not
# allow: what a product has lost is added elsewhere. This intrinsic is a product that is not fused. libclc reads two
# bytes past the end of its table of the bits of 2 / pi.
add_custom_command(OUTPUT "${deviceMath}" DEPENDS "${fusedMath}" VERBATIM
  COMMAND "${LLVM_TOOLS_BINARY_DIR}/llvm-dis" "${fusedMath}" -o "${fusedMath}.ll"
  COMMAND sed -E -i -e "s/fmul float ([^,]+), (.*)/call float @llvm.nvvm.mul.rn.f(float \\1, float \\2)/"
          -e "s/fmul double ([^,]+), (.*)/call double @llvm.nvvm.mul.rn.d(double \\1, double \\2)/"
          -e "s/(PIBITS_TBL.*)158 x i8. (.*)\", align 1/\\1160 x i8] \\2\\\\00\\\\00\", align 1/"
          -e "$ a declare float @llvm.nvvm.mul.rn.f(float, float)"
          -e "$ a declare double @llvm.nvvm.mul.rn.d(double, double)" "${fusedMath}.ll"
  COMMAND "${LLVM_TOOLS_BINARY_DIR}/llvm-as" "${fusedMath}.ll" -o "${deviceMath}")
set_source_files_properties(src/codegen/ptx/math/device_math_bitcode.cpp PROPERTIES
  OBJECT_DEPENDS "${deviceMath}" COMPILE_DEFINITIONS "TREADLE_DEVICE_MATH_BITCODE=\"${deviceMath}\"")

# For the accuracy tests: routines with a C interface, and the bitcode's functions compiled for this machine.
if(TREADLE_TESTS)
  set(hostMath "${TREADLE_GENERATED}/device_math_host")
  treadle_device_math("${hostMath}.bc" ${deviceMathSources})
  add_custom_command(OUTPUT "${hostMath}.o" DEPENDS "${hostMath}.bc" VERBATIM
    COMMAND "${LLVM_TOOLS_BINARY_DIR}/llvm-dis" "${hostMath}.bc" -o "${hostMath}.ll"
    COMMAND sed -i -e "/^target /d" -e "s/\"target-[a-z]*\"=\"[^\"]*\"//g" "${hostMath}.ll"
    COMMAND "${TREADLE_CLANG}" --target=x86_64-linux-gnu -march=x86-64-v3 -O2 -fPIC -Wno-override-module
            -c "${hostMath}.ll" -o "${hostMath}.o")
  add_library(treadle-math-test MODULE tests/math/routines.cpp src/codegen/cpu/lanes/vector_math.cpp
              src/codegen/math_table.cpp src/math/routine_address.cpp src/math/routine_symbols.cpp
              src/math/routine_table.cpp src/support/error.cpp src/support/source.cpp src/support/display_width.cpp
              src/support/utf8.cpp "${hostMath}.o")
  treadle_common(treadle-math-test)
  target_link_libraries(treadle-math-test PRIVATE treadle_routines treadle_format ${CMAKE_DL_LIBS})
  if(NOT TREADLE_SANITIZE)
    target_link_options(treadle-math-test PRIVATE -Wl,-z,defs)
  endif()

  add_executable(math_table docs/math_table.cpp src/codegen/math_table.cpp src/math/routine_table.cpp)
  treadle_common(math_table)
endif()
