# Compiler flags of the project's own code, as a target, so that they reach no third-party source.

find_program(CUPOLA_CCACHE ccache)
if(CUPOLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What a precompiled header may hide from a cache is not used here: __TIME__, and macros that
  # change what the header means.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CUPOLA_CCACHE})
endif()

add_library(cupola_flags INTERFACE)
target_compile_options(cupola_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${CUPOLA_WARNINGS_ARE_ERRORS}>:-Werror>
  # GCC warns of members that a designated initialiser leaves to their default.
  -Wno-missing-field-initializers
  # Results are NumPy's bits: no contraction across operations; errno is nobody's business.
  -fno-math-errno -ffp-contract=off)

# Tests need no speed of their own, and what they do wrong is seen by what they say.
add_library(cupola_test_flags INTERFACE)
if(CUPOLA_SANITIZE)
  target_compile_options(cupola_test_flags INTERFACE -O0 -fno-sanitize=undefined)
else()
  # Without more optimisation GCC does not see that a test's own operator new takes what free() gives.
  target_compile_options(cupola_test_flags INTERFACE -O1 -Wno-mismatched-new-delete)
endif()

if(CUPOLA_SANITIZE)
  add_compile_options(-fsanitize=${CUPOLA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  # Elements of vectors that are not there, which may be memory all the same.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  if(CUPOLA_SANITIZE MATCHES "address,undefined")
    # AddressSanitizer sees null pointers and accesses beyond objects by itself; these checks of
    # every access double the time of compilation. The preset ubsan has them all.
    add_compile_options(-fno-sanitize=null,object-size,alignment)
  endif()
  add_link_options(-fsanitize=${CUPOLA_SANITIZE})
endif()
