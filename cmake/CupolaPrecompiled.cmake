# Precompiled headers: half of the time of most sources went into reading the same headers again.
# Only headers of others are in them, so that no layer sees one of ours that it did not include.
# A source must include what it uses all the same: the preset `plain` compiles without.

# What most sources include.
set(CUPOLA_COMMON_HEADERS
  <algorithm> <array> <atomic> <cmath> <cstddef> <cstdint> <cstdlib> <cstring> <functional> <limits>
  <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <unordered_map> <utility>
  <vector> <fmt/format.h>)
set(CUPOLA_TEST_HEADERS ${CUPOLA_COMMON_HEADERS} <chrono> <complex> <random> <gmock/gmock.h>
  <gtest/gtest.h>)
set(CUPOLA_PYTHON_HEADERS ${CUPOLA_COMMON_HEADERS} <nanobind/nanobind.h>
  <nanobind/stl/string_view.h> <nanobind/stl/vector.h>)

# A compiler takes a precompiled header only with the options that it was made with: one header for
# libraries, one for test programs (without -fPIC, with GoogleTest's definitions).
function(cupola_make_precompiled_headers)
  add_library(precompiled OBJECT ${CUPOLA_EMPTY_SOURCE})
  target_link_libraries(precompiled PRIVATE cupola_flags cupola_third_party)
  target_precompile_headers(precompiled PRIVATE ${CUPOLA_COMMON_HEADERS})
  if(CUPOLA_BUILD_TESTS)
    add_executable(precompiled_for_tests ${CUPOLA_EMPTY_SOURCE})
    target_link_libraries(precompiled_for_tests PRIVATE
      cupola_flags cupola_test_flags cupola_third_party GTest::gmock GTest::gtest_main)
    target_precompile_headers(precompiled_for_tests PRIVATE ${CUPOLA_TEST_HEADERS})
  endif()
endfunction()

# The headers that fit to a library's or plugin's sources, or to a test program's.
function(cupola_precompile target)
  if(NOT CUPOLA_PRECOMPILED_HEADERS)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(target STREQUAL _cupola)
    target_precompile_headers(${target} PRIVATE ${CUPOLA_PYTHON_HEADERS})
  elseif(target MATCHES "_tests$")
    target_precompile_headers(${target} REUSE_FROM precompiled_for_tests)
  elseif(type MATCHES "OBJECT_LIBRARY|MODULE_LIBRARY")
    target_precompile_headers(${target} REUSE_FROM precompiled)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Without it ccache does not see which header was used.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(options OR source STREQUAL CUPOLA_EMPTY_SOURCE)  # other options, other headers
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
