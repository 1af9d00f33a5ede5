# Sources that are compiled together: what headers and templates cost is paid once for a group. A
# name in an anonymous namespace is the only one of its layer, or test program, for that; the preset
# `plain` compiles each source by itself. Sources that have a fault (CupolaMutants.cmake) are in
# groups of their own, named `faults`, which are compiled once more.

set(CUPOLA_UNITY_SIZE 8)

function(cupola_unite target)
  if(NOT CUPOLA_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(others ${target} SOURCES)
  cupola_sources_with_mutants(faults ${target})
  list(FILTER others INCLUDE REGEX "\\.cc$")
  if(faults)
    list(REMOVE_ITEM others ${faults})
  endif()
  foreach(kind others faults)
    set(count 0)
    foreach(source IN LISTS ${kind})
      math(EXPR number "${count} / ${CUPOLA_UNITY_SIZE}")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${kind}_${number})
    endforeach()
  endforeach()
endfunction()
