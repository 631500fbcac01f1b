# The extension module, and next to it links to the Python sources, so that build/<preset> can be imported from.
# TREADLE_PYTHONS lists further interpreters, which get extension modules of their own for the same libraries: those of
# the wheel, and with the tests the targets treadle_python_X.Y, which are built by their names only.
include(treadle_extension)
if(TARGET _core)
  add_dependencies(_core treadle_build_id)
endif()

include(ExternalProject)
foreach(interpreter IN LISTS TREADLE_PYTHONS)
  execute_process(COMMAND "${interpreter}" -c "import sys; print('%d.%d' % sys.version_info[:2])"
                  OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  ExternalProject_Add(treadle_python_${version}
    SOURCE_DIR "${TREADLE_ROOT}/cmake/extension"
    BINARY_DIR "${CMAKE_BINARY_DIR}/python-${version}"
    INSTALL_COMMAND ""
    BUILD_ALWAYS ON
    EXCLUDE_FROM_ALL ${TREADLE_TESTS}
    DEPENDS treadle treadle_build_id
    CMAKE_ARGS "-DPython_EXECUTABLE=${interpreter}" "-Dnanobind_DIR=${nanobind_DIR}"
      "-DTREADLE_VERSION=${PROJECT_VERSION}" "-DTREADLE_GENERATED=${TREADLE_GENERATED}"
      "-DTREADLE_LIBRARY=$<TARGET_FILE:treadle>" "-DTREADLE_HOOKS=${TREADLE_TESTS}"
      "-DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${TREADLE_PACKAGE}" "-DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}"
      "-DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}")
  if(NOT TREADLE_TESTS)
    install(SCRIPT "${CMAKE_BINARY_DIR}/python-${version}/cmake_install.cmake")
  endif()
endforeach()

# The wheel includes the vector math library; builds use the system's.
find_library(TREADLE_SLEEF NAMES libsleef.so.3 REQUIRED)
file(REAL_PATH "${TREADLE_SLEEF}" sleefFile)
install(FILES "${sleefFile}" DESTINATION treadle RENAME libsleef.so.3)

set(linkSources ${CMAKE_COMMAND} "-DFROM=${TREADLE_ROOT}/python/treadle" "-DTO=${TREADLE_PACKAGE}"
    -P "${TREADLE_ROOT}/cmake/link_sources.cmake")
execute_process(COMMAND ${linkSources} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(treadle_python_links ALL COMMAND ${linkSources} VERBATIM)
