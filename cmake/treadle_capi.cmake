# What C programs need beside the library: treadle.h, a CMake package and a pkg-config file, in the Python package. Their
# version is the header's.
set(treadleHeader "${TREADLE_ROOT}/include/treadle/treadle.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${treadleHeader}")
foreach(part MAJOR MINOR)
  file(STRINGS "${treadleHeader}" line REGEX "^#define TREADLE_VERSION_${part} ")
  string(REGEX MATCH "[0-9]+$" TREADLE_API_${part} "${line}")
endforeach()
set(TREADLE_API_VERSION "${TREADLE_API_MAJOR}.${TREADLE_API_MINOR}")
set(packageFiles "${TREADLE_ROOT}/cmake/package")
configure_file("${packageFiles}/treadle-config-version.cmake.in"
               "${TREADLE_GENERATED}/treadle-config-version.cmake" @ONLY)
configure_file("${packageFiles}/treadle.pc.in" "${TREADLE_GENERATED}/treadle.pc" @ONLY)
install(FILES "${treadleHeader}" DESTINATION treadle/include/treadle COMPONENT capi)
install(FILES "${packageFiles}/treadle-config.cmake" "${TREADLE_GENERATED}/treadle-config-version.cmake"
        DESTINATION treadle/share/cmake/treadle COMPONENT capi)
install(FILES "${TREADLE_GENERATED}/treadle.pc" DESTINATION treadle/share/pkgconfig COMPONENT capi)
