# The extension module treadle._core for one Python; needs the target treadle, and TREADLE_GENERATED for the build id.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB extensionSources CONFIGURE_DEPENDS "${TREADLE_ROOT}/src/python/*.cpp" "${TREADLE_ROOT}/src/python/*/*.cpp")
if(NOT extensionSources)
  return()
endif()
nanobind_add_module(_core NB_STATIC NOMINSIZE NOSTRIP NB_SUPPRESS_WARNINGS ${extensionSources}
                    "${TREADLE_ROOT}/src/support/condition_wait.cpp")
include(treadle_format)
# Python's type objects and method tables are necessarily static state.
treadle_common(_core TREADLE_STATIC_STATE)
target_include_directories(_core PRIVATE "${TREADLE_GENERATED}")
target_precompile_headers(_core PRIVATE ${TREADLE_PRECOMPILED} <nanobind/nanobind.h>)
set_source_files_properties("${TREADLE_ROOT}/src/support/condition_wait.cpp" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
target_compile_options(_core PRIVATE -Wno-missing-field-initializers)
target_link_libraries(_core PRIVATE treadle treadle_format Threads::Threads ${CMAKE_DL_LIBS})
treadle_exports(_core core.map)
install(TARGETS _core LIBRARY DESTINATION treadle)
