# Two components: `cpp`, for find_package(cupola), and `python`, the content of the wheel.
include(CMakePackageConfigHelpers)

install(TARGETS cupola EXPORT cupolaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cupola DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT cpp)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cupola)
install(EXPORT cupolaTargets NAMESPACE cupola:: DESTINATION ${config_dir} COMPONENT cpp)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cupolaConfig.cmake.in
  cupolaConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(cupolaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cupolaConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/cupolaConfigVersion.cmake
  DESTINATION ${config_dir} COMPONENT cpp)
if(TARGET cupola_cuda)
  install(TARGETS cupola_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
endif()

if(TARGET _cupola)
  install(TARGETS cupola _cupola LIBRARY DESTINATION cupola COMPONENT python)
  if(TARGET cupola_cuda)
    install(TARGETS cupola_cuda LIBRARY DESTINATION cupola COMPONENT python)
  endif()
  # The wheel runs where this package is not installed: $ORIGIN finds it beside libcupola.
  install(FILES $<TARGET_FILE:fmt::fmt> RENAME $<TARGET_SONAME_FILE_NAME:fmt::fmt>
    DESTINATION cupola COMPONENT python)
  list(GET ZLIB_LIBRARIES 0 zlib)
  file(REAL_PATH ${zlib} zlib)
  install(FILES ${zlib} RENAME libz.so.1 DESTINATION cupola COMPONENT python)
endif()
