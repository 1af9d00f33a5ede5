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

# Of the CUDA toolkit only headers are needed: every CUDA library is opened at run time.
set(CUPOLA_WITH_CUDA OFF)
if(NOT CUPOLA_CUDA STREQUAL "OFF")
  find_path(CUPOLA_CUDA_INCLUDE NAMES cuda.h
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES include)
  if(CUPOLA_CUDA_INCLUDE AND EXISTS ${CUPOLA_CUDA_INCLUDE}/nvrtc.h
     AND EXISTS ${CUPOLA_CUDA_INCLUDE}/cublas_v2.h
     AND EXISTS ${CUPOLA_CUDA_INCLUDE}/cufft.h)
    set(CUPOLA_WITH_CUDA ON)
    message(STATUS "CUDA headers: ${CUPOLA_CUDA_INCLUDE}; the CUDA plugin is built")
  elseif(CUPOLA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CUPOLA_CUDA=ON, but cuda.h, nvrtc.h, cublas_v2.h and cufft.h were not "
      "found. Install the CUDA toolkit's headers and set CUDA_HOME, or use CUPOLA_CUDA=OFF.")
  else()
    message(STATUS
      "No CUDA headers (cuda.h, nvrtc.h, cublas_v2.h, cufft.h): the CUDA plugin is left out")
  endif()
else()
  message(STATUS "CUPOLA_CUDA=OFF: the CUDA plugin is left out")
endif()
