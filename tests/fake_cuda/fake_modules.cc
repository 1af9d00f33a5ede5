// Modules and their functions. Names that begin with "missing" are in no module; "k_takes_8_4" is a
// kernel of two parameters, of 8 and 4 bytes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

struct Function {
  std::string name;
  std::map<int, int> attributes;  // that were set
};
struct Module {
  std::map<std::string, Function> functions;
  std::map<std::string, long long> variables;
};

Module& of(CUmodule module) { return *reinterpret_cast<Module*>(module); }
Function& of(CUfunction function) { return *reinterpret_cast<Function*>(function); }

bool is_missing(const char* name) { return std::strncmp(name, "missing", 7) == 0; }

int usual_attribute(CUfunction_attribute attribute) {
  return attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024
         : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 32
                                                              : 0;
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(new Module);
  return enter_context("cuModuleLoadData");
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned int count,
                            CUjit_option* options, void** values) {
  const CUresult result = enter_context("cuModuleLoadDataEx");
  if (result == CUDA_SUCCESS) {
    *module = reinterpret_cast<CUmodule>(new Module);
    return result;
  }
  for (unsigned int i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
      std::strcpy(static_cast<char*>(values[i]), "as the fake linker says");
    }
  }
  return result;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const CUresult refused = enter_context("cuModuleGetFunction")) return refused;
  note_arguments("%s", name);
  if (is_missing(name)) return CUDA_ERROR_NOT_FOUND;
  Function& found = of(module).functions[name];
  found.name = name;
  *function = reinterpret_cast<CUfunction>(&found);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* pointer, std::size_t* bytes, CUmodule module,
                           const char* name) {
  if (const CUresult refused = enter_context("cuModuleGetGlobal")) return refused;
  note_arguments("%s", name);
  if (is_missing(name)) return CUDA_ERROR_NOT_FOUND;
  long long& variable = of(module).variables[name];
  *pointer = reinterpret_cast<CUdeviceptr>(&variable);
  *bytes = sizeof variable;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  if (const CUresult refused = enter_context("cuFuncGetAttribute")) return refused;
  const auto found = of(function).attributes.find(attribute);
  *value = found != of(function).attributes.end()
               ? found->second
               : function_attribute(attribute, usual_attribute(attribute));
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (const CUresult refused = enter_context("cuFuncSetAttribute")) return refused;
  note_arguments("%d %d", attribute, value);
  if (value < -1) return CUDA_ERROR_INVALID_VALUE;
  of(function).attributes[attribute] = value;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
  if (const CUresult refused = enter_context("cuFuncGetParamInfo")) return refused;
  const std::size_t at = of(function).name.find("_takes_");
  if (at == std::string::npos) return CUDA_ERROR_NOT_SUPPORTED;
  *offset = 0;
  const char* sizes = of(function).name.c_str() + at + std::strlen("_takes_");
  for (std::size_t i = 0;; ++i) {
    char* end = nullptr;
    *bytes = std::strtoull(sizes, &end, 10);
    if (end == sizes) return CUDA_ERROR_INVALID_VALUE;
    if (i == index) return CUDA_SUCCESS;
    *offset += *bytes;
    sizes = *end == '_' ? end + 1 : end;
  }
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 2;
  return enter_context("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
