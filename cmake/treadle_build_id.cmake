# The build id: a hash of all headers and tables that cross library borders, in
# ${CMAKE_BINARY_DIR}/generated/build_id.inc.
# Libraries of different builds have different ids and refuse each other. Run with -P it writes the file.
cmake_policy(VERSION 3.25)
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE headers "${SOURCE}/src/*.h" "${SOURCE}/src/*.inc" "${SOURCE}/include/*.h")
  list(SORT headers)
  set(digests "${SALT}")
  foreach(header IN LISTS headers)
    file(SHA256 "${header}" digest)
    string(APPEND digests ";${digest}")
  endforeach()
  string(SHA256 id "${digests}")
  string(SUBSTRING "${id}" 0 32 id)
  file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "\"@id@\"\n" @ONLY)
  return()
endif()

set(TREADLE_GENERATED "${CMAKE_BINARY_DIR}/generated")
set(buildIdCommand ${CMAKE_COMMAND} "-DSOURCE=${TREADLE_ROOT}" "-DOUTPUT=${TREADLE_GENERATED}/build_id.inc"
    "-DSALT=${PROJECT_VERSION} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}"
    -P "${CMAKE_CURRENT_LIST_FILE}")
execute_process(COMMAND ${buildIdCommand} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(treadle_build_id COMMAND ${buildIdCommand} BYPRODUCTS "${TREADLE_GENERATED}/build_id.inc" VERBATIM)
