# Three components: `cpp`, for find_package(cupola) and pkg-config; `python`, the content of the wheel;
# and `carried`, third-party libraries beside that, for machines without them that get no wheel.
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

# Relative to its own folder, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cupola.pc.in cupola.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cupola.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT cpp)
include(CupolaComponents)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cpp)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/licenses DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT cpp)
if(TARGET cupola_cuda)
  install(TARGETS cupola_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp)
endif()

if(TARGET _cupola)
  install(TARGETS cupola LIBRARY DESTINATION cupola COMPONENT python NAMELINK_SKIP)
  install(TARGETS _cupola LIBRARY DESTINATION cupola COMPONENT python)
  if(TARGET cupola_cuda)
    install(TARGETS cupola_cuda LIBRARY DESTINATION cupola COMPONENT python)
  endif()
  # $ORIGIN finds them beside libcupola. A wheel has none of them (scripts/build_wheel): under their
  # own names they would stand in for those of the system in the whole process.
  install(FILES $<TARGET_FILE:fmt::fmt> RENAME $<TARGET_SONAME_FILE_NAME:fmt::fmt>
    DESTINATION cupola COMPONENT carried)
  list(GET ZLIB_LIBRARIES 0 zlib)
  if(zlib MATCHES "[.]so$")
    file(REAL_PATH ${zlib} zlib)
    install(FILES ${zlib} RENAME libz.so.1 DESTINATION cupola COMPONENT carried)
  endif()
endif()
