# The extension module treadle._core, and beside it links to the Python sources: build/<preset> can be imported from.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

file(GLOB pythonSources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/python/*.cpp")
if(pythonSources)
  nanobind_add_module(_core NB_STATIC NOMINSIZE NOSTRIP NB_SUPPRESS_WARNINGS ${pythonSources})
  # Python's own type objects are static state by nature.
  treadle_common(_core TREADLE_STATIC_STATE)
  target_include_directories(_core PRIVATE "${TREADLE_GENERATED}")
  target_compile_options(_core PRIVATE -Wno-missing-field-initializers -Wno-cast-function-type)
  target_link_libraries(_core PRIVATE treadle Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(_core PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL
                      -Wl,--disable-new-dtags "$<$<CONFIG:Release>:-Wl,-s>")
  add_dependencies(_core treadle_build_id)
  install(TARGETS _core LIBRARY DESTINATION treadle)
endif()

set(linkSources ${CMAKE_COMMAND} "-DFROM=${CMAKE_SOURCE_DIR}/python/treadle" "-DTO=${TREADLE_PACKAGE}"
    -P "${CMAKE_SOURCE_DIR}/cmake/link_sources.cmake")
execute_process(COMMAND ${linkSources} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(treadle_python_links ALL COMMAND ${linkSources} VERBATIM)
