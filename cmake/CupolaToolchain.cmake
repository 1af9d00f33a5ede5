# Compiler flags of the project's own code, as a target, so that they reach no third-party source.

find_program(CUPOLA_CCACHE ccache)
if(CUPOLA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CUPOLA_CCACHE})
endif()

add_library(cupola_flags INTERFACE)
target_compile_options(cupola_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror
  # GCC warns of members that a designated initialiser leaves to their default.
  -Wno-missing-field-initializers
  # Results are NumPy's bits: no contraction across operations; errno is nobody's business.
  -fno-math-errno -ffp-contract=off)

if(CUPOLA_SANITIZE)
  add_compile_options(-fsanitize=${CUPOLA_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CUPOLA_SANITIZE})
endif()
