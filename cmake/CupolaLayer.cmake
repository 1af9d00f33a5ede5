# cupola_layer(NAME <name> [PURE] [DEPENDS <layers>...] [SOURCES <files>...])
#
# The object library cupola_<name> of the calling folder and those in it: their *.cc, less tests and
# benchmarks, and SOURCES besides. All *_test.cc become the test program <name>_tests. Tests of a
# PURE layer are linked from the objects of the layer and of DEPENDS (with theirs) only, so that a
# call of something that could reach a device does not link; other tests use the whole library.

if(Python_Interpreter_FOUND)
  set(check_layers
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_layers.py --quiet
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT "Checking that layers include only what they may")
endif()
add_custom_target(check_layers ${check_layers})

# A folder may be empty; a library may not.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cc "")
set(CUPOLA_EMPTY_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/empty.cc)
if(CUPOLA_PRECOMPILED_HEADERS)
  cupola_make_precompiled_headers()
endif()

function(cupola_configure_target target)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE cupola_flags cupola_third_party)
  add_dependencies(${target} check_layers)
  cupola_precompile(${target})
endfunction()

# The *.cc of the calling folder and those in it, less tests, benchmarks and kernels, which others include.
function(cupola_sources output)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|/kernels/[a-z_]+_kernels)\\.cc$")
  set(${output} ${sources} PARENT_SCOPE)
endfunction()

function(cupola_layer)
  cmake_parse_arguments(PARSE_ARGV 0 layer "PURE" "NAME" "DEPENDS;SOURCES")
  cupola_sources(sources)
  add_library(cupola_${layer_NAME} OBJECT ${sources} ${layer_SOURCES} ${CUPOLA_EMPTY_SOURCE})
  cupola_configure_target(cupola_${layer_NAME})
  cupola_unite(cupola_${layer_NAME})

  set(closure ${layer_NAME})
  foreach(dependency IN LISTS layer_DEPENDS)
    get_target_property(inherited cupola_${dependency} CUPOLA_CLOSURE)
    list(APPEND closure ${inherited})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_target_properties(cupola_${layer_NAME} PROPERTIES CUPOLA_CLOSURE "${closure}")

  if(layer_PURE)
    list(TRANSFORM closure PREPEND cupola_)
    cupola_layer_tests(${layer_NAME} ${closure})
  else()
    cupola_layer_tests(${layer_NAME} cupola)
  endif()
endfunction()

# The test program <name>_tests of all *_test.cc in the calling folder and those in it, linked with
# the libraries named.
function(cupola_layer_tests name)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)
  if(CUPOLA_SANITIZE)
    # They run what the host's compiler makes of generated text: nothing of it is instrumented.
    list(FILTER tests EXCLUDE REGEX "/platforms/cpu/cuda_text_tests/[a-z_]*_test\\.cc$")
  endif()
  if(NOT CUPOLA_BUILD_TESTS OR NOT tests)
    return()
  endif()
  add_executable(${name}_tests ${tests})
  cupola_configure_target(${name}_tests)
  cupola_unite(${name}_tests)
  target_link_libraries(${name}_tests PRIVATE
    ${ARGN} cupola_test_flags GTest::gmock GTest::gtest_main)
  # Programs that are carried elsewhere find third-party libraries where the package has them.
  set_target_properties(${name}_tests PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests
    BUILD_RPATH "$ORIGIN/../python/cupola")
  add_test(NAME ${name}_tests COMMAND ${name}_tests)
  # Tests leave the user's cache alone.
  set_tests_properties(${name}_tests PROPERTIES ENVIRONMENT "CUPOLA_DISK_CACHE=0")
  set_property(GLOBAL APPEND PROPERTY CUPOLA_TEST_PROGRAMS ${name}_tests)
endfunction()
