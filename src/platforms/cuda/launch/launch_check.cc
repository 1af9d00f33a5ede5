// The check before a user's kernel is launched: what cannot fit is refused with the numbers.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/mutant.h"
#include "base/text/text.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/launch/cuda_module.h"

namespace cupola::cuda {
namespace {

int of_function(CUfunction function, CUfunction_attribute attribute, int device) {
  int value = 0;
  CUPOLA_CUDA(device, cuFuncGetAttribute, &value, attribute, function);
  return value;
}

int of_device(const DeviceContext& context, CUdevice_attribute attribute) {
  int value = 0;
  CUPOLA_CUDA(context.index, cuDeviceGetAttribute, &value, attribute, context.device);
  return value;
}

std::size_t product(const std::array<unsigned int, 3>& extents) {
  return std::size_t{extents[0]} * extents[1] * extents[2];
}

void check_threads(const std::string& name, CUfunction function, const LaunchGeometry& geometry,
                   const DeviceContext& context) {
  const std::size_t threads = product(geometry.block);
  const int most = of_function(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, context.index);
  if (threads <= static_cast<std::size_t>(most)) return;
  throw LaunchError(fmt::format(
      "{} cannot run with blocks of {} = {} threads on cuda:{}: it takes {} registers per thread "
      "and {} bytes of shared memory, so that the largest block that fits has {} threads",
      name, joined(geometry.block, " x "), threads, context.index,
      of_function(function, CU_FUNC_ATTRIBUTE_NUM_REGS, context.index),
      of_function(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, context.index), most));
}

// What a function may have is only ever raised here, so that launches of several threads agree.
void allow_shared_memory(CUfunction function, int bytes, int device) {
  static constinit Mutex mutex;
  constexpr auto kAllowed = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  const std::scoped_lock lock(mutex);
  if (of_function(function, kAllowed, device) >= bytes) return;
  CUPOLA_CUDA(device, cuFuncSetAttribute, function, kAllowed, bytes);
}

void check_shared_memory(const std::string& name, CUfunction function,
                         const LaunchGeometry& geometry, const DeviceContext& context) {
  const auto allowed = static_cast<std::size_t>(
      of_function(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, context.index));
  if (geometry.shared_bytes <= allowed) return;
  const int in_code = of_function(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, context.index);
  const int most = of_device(context, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  const auto left = static_cast<std::size_t>(std::max(0, most - in_code));
  if (geometry.shared_bytes > left) {
    throw LaunchError(fmt::format(
        "{} cannot have {} bytes of dynamic shared memory per block on cuda:{}: a block has at "
        "most {} bytes, of which the kernel itself takes {}, so that {} are left ({} registers per "
        "thread, {} threads asked for)",
        name, geometry.shared_bytes, context.index, most, in_code, left,
        of_function(function, CU_FUNC_ATTRIBUTE_NUM_REGS, context.index), product(geometry.block)));
  }
  allow_shared_memory(function, static_cast<int>(geometry.shared_bytes), context.index);
}

// A cooperative grid must be on the device as a whole.
void check_cooperative(const std::string& name, CUfunction function, const LaunchGeometry& geometry,
                       const DeviceContext& context) {
  if (!of_device(context, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)) {
    throw LaunchError(fmt::format("cuda:{} has no cooperative launches", context.index));
  }
  int each = 0;
  CUPOLA_CUDA(context.index, cuOccupancyMaxActiveBlocksPerMultiprocessor, &each, function,
              static_cast<int>(product(geometry.block)), geometry.shared_bytes);
  const auto most =
      static_cast<std::size_t>(each) *
      static_cast<std::size_t>(of_device(context, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  if (product(geometry.grid) <= most) return;
  throw LaunchError(fmt::format(
      "{} cannot be launched cooperatively with {} blocks of {} threads on cuda:{}: {} blocks are "
      "the most that run at the same time",
      name, product(geometry.grid), product(geometry.block), context.index, most));
}

}  // namespace

void check_fits(const std::string& name, CUfunction function, const LaunchGeometry& geometry,
                const DeviceContext& context) {
  if (CUPOLA_MUTANT(launch_what_cannot_fit)) return;
  check_threads(name, function, geometry, context);
  if (geometry.shared_bytes > 0) check_shared_memory(name, function, geometry, context);
  if (geometry.cooperative) check_cooperative(name, function, geometry, context);
}

}  // namespace cupola::cuda
