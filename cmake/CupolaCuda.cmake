# NVIDIA's headers and NVRTC: of the Python packages in requirements/cuda.txt, else of a toolkit. The
# plugin links to no CUDA library; what the build runs and tests open NVRTC in CUPOLA_NVRTC_FOLDER.
#
# Sets CUPOLA_CUDA_INCLUDE, which has cuda.h and nvrtc.h, and CUPOLA_NVRTC_FOLDER, empty where its
# file does not lie beside them. Without the plugin both may be empty.

set(CUPOLA_CUDA_HEADERS "" CACHE PATH
  "Folder of cuda.h and nvrtc.h; empty: NVIDIA's Python packages, CUDA_HOME, CUDA_PATH, /usr/local/cuda")
set(CUPOLA_CUDA_INCLUDE "")
set(CUPOLA_NVRTC_FOLDER "")
if(NOT CUPOLA_CUDA)
  message(STATUS "CUPOLA_CUDA=OFF: the CUDA plugin is left out")
endif()

# The folders `nvidia` of the interpreter that builds and of the project's own environment. Not the
# links made below, which a build on PYTHONPATH has.
set(cuda_packages "")
foreach(interpreter ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  if(EXISTS ${interpreter})
    execute_process(
      COMMAND ${interpreter} -c "import os; from importlib.util import find_spec; \
spec = find_spec('nvidia'); folders = spec.submodule_search_locations if spec else (); \
print(*map(os.path.realpath, folders), sep=';')"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND cuda_packages ${found})
  endif()
endforeach()

list(REMOVE_DUPLICATES cuda_packages)

set(cuda_candidates ${CUPOLA_CUDA_HEADERS})
if(NOT cuda_candidates)
  list(TRANSFORM cuda_packages APPEND /cu13/include OUTPUT_VARIABLE cuda_candidates)
  foreach(root "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda /usr)
    if(root)
      list(APPEND cuda_candidates ${root}/include)
    endif()
  endforeach()
endif()
foreach(folder IN LISTS cuda_candidates)
  if(EXISTS ${folder}/cuda.h AND EXISTS ${folder}/nvrtc.h)
    set(CUPOLA_CUDA_INCLUDE ${folder})
    break()
  endif()
endforeach()
if(CUPOLA_CUDA AND NOT CUPOLA_CUDA_INCLUDE)
  list(JOIN cuda_candidates " " cuda_candidates)
  message(FATAL_ERROR "cuda.h and nvrtc.h were not found in: ${cuda_candidates}. They come with "
    "NVIDIA's Python packages: run scripts/setup, or pip install -r requirements/cuda.txt. A CUDA "
    "toolkit named by CUDA_HOME has them too. CUPOLA_CUDA=OFF builds without the CUDA plugin.")
endif()
if(NOT CUPOLA_CUDA_INCLUDE)
  return()
endif()
file(GLOB cuda_nvrtc ${CUPOLA_CUDA_INCLUDE}/../lib/libnvrtc.so.1?
  ${CUPOLA_CUDA_INCLUDE}/../lib64/libnvrtc.so.1?)
if(cuda_nvrtc)
  list(GET cuda_nvrtc 0 cuda_nvrtc)
  cmake_path(GET cuda_nvrtc PARENT_PATH CUPOLA_NVRTC_FOLDER)
  cmake_path(NORMAL_PATH CUPOLA_NVRTC_FOLDER)
endif()
message(STATUS "CUDA: headers in ${CUPOLA_CUDA_INCLUDE}, NVRTC in ${CUPOLA_NVRTC_FOLDER}")

# Beside what is built as in site-packages, where the plugin looks for NVIDIA's packages: beside the
# Python package, and for test programs beside their folder.
if(CUPOLA_CUDA_INCLUDE MATCHES "^(.*/nvidia)/cu13/include$")
  set(packages ${CMAKE_MATCH_1})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
  foreach(link ${PROJECT_BINARY_DIR}/python/nvidia ${PROJECT_BINARY_DIR}/nvidia)
    file(CREATE_LINK ${packages} ${link} SYMBOLIC)
  endforeach()
endif()
