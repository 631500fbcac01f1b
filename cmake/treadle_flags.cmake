# Flags of all our targets: treadle_common(target), treadle_exports(target map).
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Development builds are optimised, keep assertions, those of the standard library too (an item of a span or a vector
# that it does not have ends the process), and have line numbers only, so that linking takes less than a second.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -gline-tables-only -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_package(Threads REQUIRED)

find_program(TREADLE_CCACHE ccache)
if(TREADLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/compile_with_ccache.sh" "${CMAKE_SOURCE_DIR}"
      "${TREADLE_CCACHE}")
  # Without these, ccache never finds anything that uses a precompiled header.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  else()
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>")
  endif()
endif()

# What most sources include takes longer to read than the rest of them to compile. Each of them still includes what it
# uses: tests/builds/test_second_compiler.py compiles those of src/ without this.
set(TREADLE_PRECOMPILED <algorithm> <atomic> <chrono> <functional> <map> <memory> <mutex> <optional> <set> <span>
    <string> <thread> <unordered_map> <unordered_set> <vector> <fmt/core.h>)

find_program(TREADLE_LLD NAMES ld.lld-19 ld.lld)
if(TREADLE_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options("--ld-path=${TREADLE_LLD}")
  set(TREADLE_FOLD "-Wl,--icf=all")
endif()

if(TREADLE_SANITIZE)
  add_compile_options("-fsanitize=${TREADLE_SANITIZE}" -fno-omit-frame-pointer -shared-libsan)
  add_link_options("-fsanitize=${TREADLE_SANITIZE}" -shared-libsan)
  if(TREADLE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined -fno-sanitize=vptr,function)
  endif()
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libclang_rt.asan-x86_64.so
                  OUTPUT_VARIABLE sanitizerLibrary OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(sanitizerFolder "${sanitizerLibrary}" DIRECTORY)
  add_link_options("-Wl,-rpath,${sanitizerFolder}")
endif()

# Include root, warnings and sections. `TREADLE_STATIC_STATE` as a further argument allows objects with static
# constructors and destructors, which only nanobind and GoogleTest need.
function(treadle_common target)
  target_include_directories(${target} PRIVATE "${TREADLE_ROOT}/src" "${TREADLE_ROOT}/include")
  target_compile_definitions(${target} PRIVATE "TREADLE_VERSION=\"${PROJECT_VERSION}\"")
  # libstdc++ 12's stable_sort uses features that it deprecates.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-deprecated-declarations -ffunction-sections
                         -fdata-sections)
  if(TREADLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT "TREADLE_STATIC_STATE" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE -Wexit-time-destructors -Wglobal-constructors)
  endif()
endfunction()

# The build id says what a library is, to the code cache (support/files/library_id): linkers have none by default, compilers
# differ. Only what `map` names is exported, and no symbol may stay undefined. --as-needed: LLVMSupport names libz3 by path,
# although nothing of it is used.
# Calls within a library are direct, although its functions are exported: nobody replaces them, and through the linkage
# table each takes 1 to 2 ns more, of which a launch has a dozen.
function(treadle_exports target map)
  set(path "${TREADLE_ROOT}/cmake/${map}")
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${path}")
  target_link_options(${target} PRIVATE "-Wl,--version-script=${path}" -Wl,--build-id=sha1 -Wl,--as-needed -Wl,--gc-sections
                      -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions -Wl,--disable-new-dtags ${TREADLE_FOLD}
                      "$<$<CONFIG:Release>:-Wl,-s>")
  # An extension module resolves Python's symbols only when it is loaded.
  get_target_property(type ${target} TYPE)
  if(NOT TREADLE_SANITIZE AND type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
