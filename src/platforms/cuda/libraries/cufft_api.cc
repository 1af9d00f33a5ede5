#include "platforms/cuda/libraries/cufft_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/mutant.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_table.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

bool has_ended(const CufftPlan& plan) { return cuda_api().cuEventQuery(plan.end) == CUDA_SUCCESS; }

void destroy(const CufftPlan& plan) {
  if (plan.end) cuda_api().cuEventDestroy(plan.end);
  cufft_api().cufftDestroy(plan.handle);
}

// Of one device, those that nobody has borrowed.
class IdlePlans {
 public:
  // `ended`: only one that no stream computes with.
  std::optional<CufftPlan> take(const CufftShape& shape, bool ended) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(plans_, [&](const CufftPlan& plan) {
      return plan.shape == shape && (!ended || has_ended(plan));
    });
    if (found == plans_.end()) return std::nullopt;
    const CufftPlan plan = *found;
    plans_.erase(found);
    return plan;
  }
  // Returns the ones to be destroyed for it, if there are too many. A device that still computes
  // with a plan reads its memory.
  std::vector<CufftPlan> put(const CufftPlan& plan) {
    const std::scoped_lock lock(mutex_);
    plans_.push_front(plan);
    return surplus();
  }
  FftPlanCount count() {
    const std::scoped_lock lock(mutex_);
    return {plans_.size(), most_};
  }
  std::vector<CufftPlan> keep(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    most_ = most;
    return surplus();
  }

 private:
  std::vector<CufftPlan> surplus() {
    std::vector<CufftPlan> last;
    for (auto each = plans_.end(); each != plans_.begin() && plans_.size() > most_;) {
      --each;
      if (!has_ended(*each)) continue;
      last.push_back(*each);
      each = plans_.erase(each);
    }
    return last;
  }

  Mutex mutex_;
  std::size_t most_ = kFftPlansKept;
  std::list<CufftPlan> plans_;  // the last used one first
};

IdlePlans& plans_of(int device) {
  static constinit Lazy<DeviceTable<IdlePlans>> plans;
  return (*plans)[device];
}

CufftApi load_cufft() {
  const SharedLibrary library({"libcufft.so.12", "libcufft.so.11"}, "fft on CUDA devices");
  CufftApi api{};
#define CUPOLA_CUFFT_LOAD(NAME, ...) library.load(api.NAME, #NAME);
  CUPOLA_FOR_EACH_CUFFT_FUNCTION(CUPOLA_CUFFT_LOAD)
#undef CUPOLA_CUFFT_LOAD
  return api;
}

// cuFFT has no function for it, and other versions have other results: by number.
std::string name_of(cufftResult result) {
  static constexpr const char* kNames[] = {"CUFFT_SUCCESS",
                                           "CUFFT_INVALID_PLAN",
                                           "CUFFT_ALLOC_FAILED",
                                           "CUFFT_INVALID_TYPE",
                                           "CUFFT_INVALID_VALUE",
                                           "CUFFT_INTERNAL_ERROR",
                                           "CUFFT_EXEC_FAILED",
                                           "CUFFT_SETUP_FAILED",
                                           "CUFFT_INVALID_SIZE",
                                           "CUFFT_UNALIGNED_DATA",
                                           "result 10",
                                           "CUFFT_INVALID_DEVICE",
                                           "result 12",
                                           "CUFFT_NO_WORKSPACE",
                                           "CUFFT_NOT_IMPLEMENTED",
                                           "result 15",
                                           "CUFFT_NOT_SUPPORTED",
                                           "CUFFT_MISSING_DEPENDENCY",
                                           "CUFFT_NVRTC_FAILURE",
                                           "CUFFT_NVJITLINK_FAILURE",
                                           "CUFFT_NVSHMEM_FAILURE"};
  const auto number = static_cast<std::size_t>(result);
  return number < std::size(kNames) ? kNames[number] : fmt::format("result {}", number);
}

cufftType type_of(const FftProblem& problem) {
  switch (problem.kind) {
    case FftKind::forward:
    case FftKind::backward:
      return problem.is_double ? CUFFT_Z2Z : CUFFT_C2C;
    case FftKind::real_to_complex:
      return problem.is_double ? CUFFT_D2Z : CUFFT_R2C;
    case FftKind::complex_to_real:
      return problem.is_double ? CUFFT_Z2D : CUFFT_C2R;
  }
  __builtin_unreachable();
}

}  // namespace

const CufftApi& cufft_api() {
  static constinit Lazy<const CufftApi> api;
  return api.get(load_cufft);
}

void check_cufft(cufftResult result, const char* call, int device) {
  if (result == CUFFT_SUCCESS) return;
  const std::string message = fmt::format("{} on cuda:{}: {}", call, device, name_of(result));
  if (result == CUFFT_ALLOC_FAILED) throw OutOfMemoryError(message);
  throw DeviceError(message);
}

CufftTurn::CufftTurn(bool alone) {
  static constinit Lazy<std::shared_mutex> turns;
  if (alone && !CUPOLA_MUTANT(shared_turns)) {
    alone_ = std::unique_lock(*turns);
  } else {
    with_others_ = std::shared_lock(*turns);
  }
}

CufftShape cufft_shape(const FftProblem& problem) {
  const cufftType type = type_of(problem);
  if (problem.pitch > 1) return {type, problem.length, problem.columns, 1, 1, problem.pitch};
  return {type, problem.length, problem.rows, problem.in_row, problem.out_row};
}

BorrowedPlan::BorrowedPlan(const CufftShape& shape, CudaStream& stream)
    : device_(stream.context->index), stream_(stream), plan_{.shape = shape} {
  if (!take()) {
    const CufftTurn turn(true);
    if (!take()) make();  // others may have returned one meanwhile
  }
  try {
    if (!plan_.is_new && stream.capture() == nullptr) {
      // On another stream it may still run. From here on its end is that of both transforms.
      CUPOLA_CUDA(device_, cuStreamWaitEvent, stream.handle, plan_.end, CU_EVENT_WAIT_DEFAULT);
    }
    CUPOLA_CUFFT(device_, cufftSetStream, plan_.handle, stream.handle);
  } catch (...) {
    destroy(plan_);
    throw;
  }
}

bool BorrowedPlan::take() {
  const bool is_captured = stream_.capture() != nullptr;
  const std::optional<CufftPlan> idle = plans_of(device_).take(plan_.shape, is_captured);
  if (idle) plan_ = *idle;
  return idle.has_value();
}

void BorrowedPlan::make() {
  CUPOLA_CUFFT(device_, cufftCreate, &plan_.handle);
  count(Counter::library_handles);
  try {
    CUPOLA_CUDA(device_, cuEventCreate, &plan_.end, CU_EVENT_DISABLE_TIMING);
    const CufftShape& shape = plan_.shape;
    long long length = shape.length;
    const bool from_real = shape.type == CUFFT_R2C || shape.type == CUFFT_D2Z;
    const bool to_real = shape.type == CUFFT_C2R || shape.type == CUFFT_Z2D;
    // With these given, the distances between rows count.
    long long in_length = to_real ? length / 2 + 1 : length;
    long long out_length = from_real ? length / 2 + 1 : length;
    CUPOLA_CUFFT(device_, cufftSetAutoAllocation, plan_.handle, 0);
    CUPOLA_CUFFT(device_, cufftMakePlanMany64, plan_.handle, 1, &length, &in_length, shape.pitch,
                 shape.in_row, &out_length, shape.pitch, shape.out_row, shape.type, shape.rows,
                 &plan_.work_bytes);
  } catch (...) {
    destroy(plan_);
    throw;
  }
}

BorrowedPlan::~BorrowedPlan() {
  if (const auto capture = stream_.capture()) {
    // The graph reads the plan's memory at every launch.
    capture->resources()->at_end([plan = plan_] {
      if (cuda_api_in_reach()) destroy(plan);
    });
    return;
  }
  cuda_api().cuEventRecord(plan_.end, stream_.handle);
  for (const CufftPlan& last : plans_of(device_).put(plan_)) destroy(last);
}

FftPlanCount idle_plans(int device) { return plans_of(device).count(); }

void keep_idle_plans(int device, std::size_t most) {
  for (const CufftPlan& last : plans_of(device).keep(most)) destroy(last);
}

}  // namespace cupola::cuda
