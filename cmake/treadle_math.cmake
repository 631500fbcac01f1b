# Our own vector math routines, each source compiled once per instruction set level: target treadle_math.
add_library(treadle_math INTERFACE)
file(GLOB mathSources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/codegen/cpu/math/*.cpp")

foreach(level sse:x86-64-v2 avx2:x86-64-v3 avx512:x86-64-v4)
  string(REPLACE ":" ";" level "${level}")
  list(GET level 0 isa)
  list(GET level 1 architecture)
  add_library(treadle_math_${isa} STATIC ${mathSources})
  treadle_common(treadle_math_${isa})
  target_compile_definitions(treadle_math_${isa} PRIVATE TREADLE_ISA=${isa})
  # Fused operations only where the source says so: what a routine gives must not depend on the compiler's mood.
  target_compile_options(treadle_math_${isa} PRIVATE -march=${architecture} -mprefer-vector-width=512 -O2 -fwrapv
                         -ffp-contract=off -fno-math-errno)
  target_link_libraries(treadle_math INTERFACE treadle_math_${isa})
endforeach()
