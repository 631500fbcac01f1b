# find_package(treadle) for C and C++ programs: the target treadle::treadle, beside the library in the Python package.
get_filename_component(treadle_PACKAGE "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET treadle::treadle)
  add_library(treadle::treadle SHARED IMPORTED)
  set_target_properties(treadle::treadle PROPERTIES
    IMPORTED_LOCATION "${treadle_PACKAGE}/libtreadle.so.0"
    IMPORTED_SONAME libtreadle.so.0
    INTERFACE_INCLUDE_DIRECTORIES "${treadle_PACKAGE}/include")
endif()
