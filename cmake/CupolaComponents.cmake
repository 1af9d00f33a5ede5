# The bill of materials of what is compiled in: <build>/cupola.cdx.json, installed with the package.
# Wheels have it where PEP 770 wants it.
if(NOT Python_Interpreter_FOUND)
  return()
endif()

get_target_property(fmt_include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
find_path(CUPOLA_XXHASH_INCLUDE NAMES xxhash.h REQUIRED)
set(components fmt=${fmt_include} xxhash=${CUPOLA_XXHASH_INCLUDE})
if(CUPOLA_STATIC_ZLIB)
  list(GET ZLIB_INCLUDE_DIRS 0 zlib_include)
  list(APPEND components zlib=${zlib_include})
endif()
if(CUPOLA_VQSORT_COMPILES)
  list(APPEND components highway=${CUPOLA_HIGHWAY_INCLUDE})
endif()
if(TARGET _cupola)
  list(APPEND components nanobind=${NB_DIR}/include robin-map=${NB_DIR}/ext/robin_map/include)
endif()

set(bill ${PROJECT_BINARY_DIR}/cupola.cdx.json)
execute_process(
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/packaging/sbom.py
    --version ${PROJECT_VERSION} --output ${bill} ${components}
  COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${bill} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cpp)
if(SKBUILD_METADATA_DIR)
  install(FILES ${bill} DESTINATION ${SKBUILD_METADATA_DIR}/sboms COMPONENT python)
endif()
