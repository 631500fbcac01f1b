# find_package(treadle) for C and C++ programs: the target treadle::treadle, beside the library in the Python package.
# Copies of this file are in that package's folder and in its share/cmake/treadle.
set(treadle_PACKAGE "${CMAKE_CURRENT_LIST_DIR}")
if(NOT EXISTS "${treadle_PACKAGE}/libtreadle.so.0")
  get_filename_component(treadle_PACKAGE "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
endif()
if(NOT TARGET treadle::treadle)
  add_library(treadle::treadle SHARED IMPORTED)
  set_target_properties(treadle::treadle PROPERTIES
    IMPORTED_LOCATION "${treadle_PACKAGE}/libtreadle.so.0"
    IMPORTED_SONAME libtreadle.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${treadle_PACKAGE}/include")
endif()
