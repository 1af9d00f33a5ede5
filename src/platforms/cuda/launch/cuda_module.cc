#include "platforms/cuda/launch/cuda_module.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "base/counters.h"
#include "base/text/text.h"
#include "codegen/user/user_function.h"
#include "cupola/error.h"
#include "platforms/cuda/compile/module_compiler.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/cuda_driver.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kLogBytes = 8192;

std::string read_image(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ValueError(fmt::format("the module file {} cannot be read", path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Machine code onto the device of the current context; PTX is compiled by the driver.
CUmodule load_image(const std::string& image, const std::string& what, int device) {
  std::string log(kLogBytes, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  CUmodule module = nullptr;
  const CUresult result = cuda_api().cuModuleLoadDataEx(&module, image.c_str(), 2, options, values);
  count(Counter::module_loads);
  if (result == CUDA_SUCCESS) return module;
  const std::string message = cuda_message(result, "cuModuleLoadDataEx", device);
  log.resize(log.find('\0'));
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemoryError(message);
  throw CompileError(
      fmt::format("{} cannot be loaded: {}{}{}", what, message, log.empty() ? "" : "\n", log));
}

int attribute_of(CUfunction function, CUfunction_attribute attribute, int device) {
  int value = 0;
  CUPOLA_CUDA(device, cuFuncGetAttribute, &value, attribute, function);
  return value;
}

CUfunction_attribute native(SettableAttribute attribute) {
  switch (attribute) {
    case SettableAttribute::max_dynamic_shared_bytes:
      return CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    case SettableAttribute::preferred_shared_carveout:
      return CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
  }
  __builtin_unreachable();
}

std::string_view name_of(SettableAttribute attribute) {
  return attribute == SettableAttribute::max_dynamic_shared_bytes
             ? "max_dynamic_shared_size_bytes"
             : "preferred_shared_memory_carveout";
}

}  // namespace

CompiledModule CudaModule::make(int architecture) const {
  if (!source_.path.empty()) return {read_image(source_.path), "", {}, {}};
  return CudaSourceCompiler().compile(source_, architecture);
}

const CompiledModule& CudaModule::compiled(int architecture) {
  Compilation* compilation = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    compilation = &compilations_[architecture];
  }
  const std::scoped_lock lock(compilation->mutex);
  if (compilation->error) std::rethrow_exception(compilation->error);
  if (!compilation->module) {
    try {
      compilation->module = make(architecture);
    } catch (const CompileError&) {
      compilation->error = std::current_exception();
      throw;
    }
  }
  return *compilation->module;
}

std::string CudaModule::compile(int device) { return compiled(device_architecture(device)).log; }

CUmodule CudaModule::load(const DeviceContext& context) {
  auto& slot = modules_[context.index];
  if (const CUmodule loaded = slot.load(std::memory_order_acquire)) return loaded;
  const CompiledModule& code = compiled(context.architecture);
  const std::string what = source_.path.empty() ? "the kernel source's machine code" : source_.path;
  const LoadTurn turn(context, what.c_str());
  const std::scoped_lock lock(mutex_);
  if (const CUmodule loaded = slot.load(std::memory_order_acquire)) return loaded;
  // Modules stay: work that uses one may be queued when its last owner goes.
  const CUmodule module = load_image(code.image, what, context.index);
  slot.store(module, std::memory_order_release);
  return module;
}

std::string CudaModule::lowered(const std::string& name, int architecture) {
  const auto& names = compiled(architecture).lowered_names;
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

void CudaModule::throw_unknown(const char* what, const std::string& name, int architecture) {
  const std::vector<std::string>& kernels = compiled(architecture).kernels;
  throw ValueError(
      fmt::format("the module has no {} '{}'{}{}; functions need extern \"C\" or must be named by "
                  "name_expressions",
                  what, name, kernels.empty() ? "" : "; its kernels are ", joined(kernels, ", ")));
}

CUfunction CudaModule::find_function(const std::string& name, const DeviceContext& context) {
  const CUmodule module = load(context);
  CUfunction function = nullptr;
  const std::string known = lowered(name, context.architecture);
  const CUresult result = cuda_api().cuModuleGetFunction(&function, module, known.c_str());
  if (result == CUDA_ERROR_NOT_FOUND) throw_unknown("kernel", name, context.architecture);
  check_cuda(result, "cuModuleGetFunction", context.index);
  return function;
}

std::shared_ptr<ModuleFunction> CudaModule::function(const std::string& name) {
  return std::make_shared<CudaFunction>(shared_from_this(), name);
}

ModuleGlobal CudaModule::global(int device, const std::string& name) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  const CUmodule module = load(context);
  CUdeviceptr pointer = 0;
  std::size_t bytes = 0;
  const CUresult result = cuda_api().cuModuleGetGlobal(&pointer, &bytes, module,
                                                       lowered(name, context.architecture).c_str());
  if (result == CUDA_ERROR_NOT_FOUND) throw_unknown("variable", name, context.architecture);
  check_cuda(result, "cuModuleGetGlobal", device);
  return {reinterpret_cast<void*>(pointer), bytes};
}

CUfunction CudaFunction::find(const DeviceContext& context) {
  auto& slot = functions_[context.index];
  if (const CUfunction known = slot.load(std::memory_order_acquire)) return known;
  const CUfunction function = module_->find_function(name_, context);
  slot.store(function, std::memory_order_release);
  return function;
}

FunctionAttributes CudaFunction::attributes(int device) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  const CUfunction function = find(context);
  const auto value = [&](CUfunction_attribute which) {
    return attribute_of(function, which, device);
  };
  FunctionAttributes result;
  result.registers = value(CU_FUNC_ATTRIBUTE_NUM_REGS);
  result.max_threads_per_block = value(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  result.shared_bytes = value(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  result.local_bytes = value(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  result.const_bytes = value(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  result.max_dynamic_shared_bytes = value(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  result.preferred_shared_carveout = value(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  result.binary_version = value(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  result.ptx_version = value(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  result.cache_mode_ca = value(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  return result;
}

void CudaFunction::set_attribute(int device, SettableAttribute attribute, int value) {
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  const CUresult result = cuda_api().cuFuncSetAttribute(find(context), native(attribute), value);
  if (result == CUDA_ERROR_INVALID_VALUE) {
    throw ValueError(
        fmt::format("{} of {} cannot be {} on cuda:{}", name_of(attribute), name_, value, device));
  }
  check_cuda(result, "cuFuncSetAttribute", device);
}

std::optional<std::vector<std::size_t>> CudaFunction::parameter_sizes(int device) {
  if (cuda_api().function_parameter == nullptr) return std::nullopt;
  const DeviceContext& context = device_context(device);
  const ContextGuard guard(context);
  const CUfunction function = find(context);
  std::vector<std::size_t> sizes;
  for (;;) {
    std::size_t offset = 0, bytes = 0;
    const CUresult result = cuda_api().function_parameter(function, sizes.size(), &offset, &bytes);
    if (result == CUDA_ERROR_INVALID_VALUE) return sizes;  // past the last one
    if (result == CUDA_ERROR_NOT_SUPPORTED) return std::nullopt;
    check_cuda(result, "cuFuncGetParamInfo", device);
    sizes.push_back(bytes);
  }
}

void CudaFunction::launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
                          StreamHandle handle) {
  const ContextGuard guard(*from_handle(handle).context);
  const CUfunction function = find(*from_handle(handle).context);
  CudaStream& stream = for_work(handle);
  stream.has_computed.store(true, std::memory_order_relaxed);
  check_fits(name_, function, geometry, *stream.context);
  const auto [gx, gy, gz] = geometry.grid;
  const auto [bx, by, bz] = geometry.block;
  const auto shared = static_cast<unsigned int>(geometry.shared_bytes);
  auto** const values = const_cast<void**>(arguments.data());
  const CUresult result = geometry.cooperative
                              ? cuda_api().cuLaunchCooperativeKernel(
                                    function, gx, gy, gz, bx, by, bz, shared, stream.handle, values)
                              : cuda_api().cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared,
                                                          stream.handle, values, nullptr);
  if (result == CUDA_SUCCESS) [[likely]] {
    stream.context->health->note_launch({lasting_name_,
                                         {gx, gy, gz},
                                         bx * by * bz,
                                         reinterpret_cast<std::uint64_t>(stream.handle)});
    return;
  }
  throw_if_fault(result, name_.c_str(), stream.context->index);
  throw LaunchError(fmt::format("{} with a grid of {} and blocks of {}: {}", name_,
                                joined(geometry.grid, " x "), joined(geometry.block, " x "),
                                cuda_message(result, "cuLaunchKernel", stream.context->index)));
}

std::shared_ptr<Module> CudaDriver::build_module(const ModuleSource& source) {
  return std::make_shared<CudaModule>(source);
}

void CudaDriver::compile_functions(std::span<const UserFunction* const> functions, int device) {
  UserText text = user_function_text(functions);
  ModuleSource source;
  source.prelude = std::move(text.prelude);
  source.text = std::move(text.text);
  source.options.assign(std::begin(kFunctionOptions), std::end(kFunctionOptions));
  build_module(source)->compile(device);
}

}  // namespace cupola::cuda
