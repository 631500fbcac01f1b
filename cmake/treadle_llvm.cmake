# LLVM 19, static, with static zlib and zstd: target treadle_llvm.
set(ZLIB_USE_STATIC_LIBS ON)
if(NOT LLVM_DIR)
  find_program(TREADLE_LLVM_CONFIG NAMES llvm-config-19)
  if(TREADLE_LLVM_CONFIG)
    execute_process(COMMAND "${TREADLE_LLVM_CONFIG}" --cmakedir OUTPUT_VARIABLE LLVM_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
find_package(LLVM 19.1 CONFIG REQUIRED)

# LLVM's package names the shared zstd, which must not be required on the user's machine.
get_target_property(supportLibraries LLVMSupport INTERFACE_LINK_LIBRARIES)
list(TRANSFORM supportLibraries REPLACE "zstd::libzstd_shared" "zstd::libzstd_static")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${supportLibraries}")

llvm_map_components_to_libnames(llvmLibraries Core AsmParser BitReader BitWriter Linker Passes
  NVPTXCodeGen NVPTXDesc NVPTXInfo X86CodeGen X86Desc X86Info X86AsmParser X86Disassembler JITLink Object)
add_library(treadle_llvm INTERFACE)
target_include_directories(treadle_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_link_libraries(treadle_llvm INTERFACE ${llvmLibraries})
