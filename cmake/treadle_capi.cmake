# What C programs need beside the library: treadle.h, a CMake package and a pkg-config file, in the Python package. Their
# version is the header's.
set(treadleHeader "${TREADLE_ROOT}/include/treadle/treadle.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${treadleHeader}")
foreach(part MAJOR MINOR)
  file(STRINGS "${treadleHeader}" line REGEX "^#define TREADLE_VERSION_${part} ")
  string(REGEX MATCH "[0-9]+$" TREADLE_API_${part} "${line}")
endforeach()
set(TREADLE_API_VERSION "${TREADLE_API_MAJOR}.${TREADLE_API_MINOR}")
# The development build's package has them as well.
set(packageFiles "${TREADLE_ROOT}/cmake/package")
set(cmakePackage "${TREADLE_PACKAGE}/share/cmake/treadle")
configure_file("${packageFiles}/treadle-config.cmake" "${cmakePackage}/treadle-config.cmake" COPYONLY)
configure_file("${packageFiles}/treadle-config-version.cmake.in" "${cmakePackage}/treadle-config-version.cmake" @ONLY)
configure_file("${packageFiles}/treadle.pc.in" "${TREADLE_PACKAGE}/share/pkgconfig/treadle.pc" @ONLY)
configure_file("${treadleHeader}" "${TREADLE_PACKAGE}/include/treadle/treadle.h" COPYONLY)
# In the package's folder, too: for treadle_DIR that names it, and CMAKE_PREFIX_PATH that names the folder around it.
file(COPY "${cmakePackage}/" DESTINATION "${TREADLE_PACKAGE}")
install(DIRECTORY "${TREADLE_PACKAGE}/include" "${TREADLE_PACKAGE}/share" DESTINATION treadle COMPONENT capi)
install(DIRECTORY "${cmakePackage}/" DESTINATION treadle COMPONENT capi)
