# Third-party libraries. All are Debian packages: requirements/apt.txt.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
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
set(python_components Interpreter)
if(CUPOLA_PYTHON)
  list(APPEND python_components Development.Module)
endif()
find_package(Python 3.11 REQUIRED COMPONENTS ${python_components})

include(CupolaCuda)
