# Third-party libraries. All are Debian packages: requirements/apt.txt.

option(CUPOLA_STATIC_ZLIB "Link zlib into the library: for packages that are carried elsewhere" OFF)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
set(ZLIB_USE_STATIC_LIBS ${CUPOLA_STATIC_ZLIB})
find_package(ZLIB REQUIRED)

add_library(cupola_third_party INTERFACE)
target_link_libraries(cupola_third_party INTERFACE
  fmt::fmt ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})

if(CUPOLA_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# The project's own environment first, so that a plain `cmake --preset` finds what setup installed.
if(NOT Python_EXECUTABLE AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python)
  set(Python_EXECUTABLE ${CMAKE_CURRENT_SOURCE_DIR}/.venv/bin/python)
endif()
if(CUPOLA_PYTHON)
  find_package(Python 3.11 REQUIRED
    COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
else()
  find_package(Python 3.11 QUIET COMPONENTS Interpreter)  # for the checks of developers
endif()

include(CupolaCuda)
