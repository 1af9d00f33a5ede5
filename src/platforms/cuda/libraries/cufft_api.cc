#include "platforms/cuda/libraries/cufft_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_table.h"
#include "platforms/cuda/device/shared_library.h"

namespace cupola::cuda {
namespace {

// Of one device, which nobody has borrowed.
struct IdlePlan {
  CufftShape shape;
  cufftHandle handle;
  std::size_t work_bytes;
  CUevent end;  // of its transforms
  bool is_new;  // there were none
};

bool has_ended(const IdlePlan& plan) { return cuda_api().cuEventQuery(plan.end) == CUDA_SUCCESS; }

void destroy(const IdlePlan& plan) {
  cuda_api().cuEventDestroy(plan.end);
  cufft_api().cufftDestroy(plan.handle);
}

class IdlePlans {
 public:
  // `ended`: only one that no stream computes with.
  std::optional<IdlePlan> take(const CufftShape& shape, bool ended) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(plans_, [&](const IdlePlan& plan) {
      return plan.shape == shape && (!ended || has_ended(plan));
    });
    if (found == plans_.end()) return std::nullopt;
    const IdlePlan plan = *found;
    plans_.erase(found);
    return plan;
  }
  // Returns the ones to be destroyed for it, if there are too many. A device that still computes
  // with a plan reads its memory.
  std::vector<IdlePlan> put(const IdlePlan& plan) {
    const std::scoped_lock lock(mutex_);
    plans_.push_front(plan);
    return surplus();
  }
  FftPlanCount count() {
    const std::scoped_lock lock(mutex_);
    return {plans_.size(), most_};
  }
  std::vector<IdlePlan> keep(std::size_t most) {
    const std::scoped_lock lock(mutex_);
    most_ = most;
    return surplus();
  }

 private:
  std::vector<IdlePlan> surplus() {
    std::vector<IdlePlan> last;
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
  std::list<IdlePlan> plans_;  // the last used one first
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
  if (alone) {
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
    : shape_(shape), device_(stream.context->index), borrower_(stream), stream_(stream.handle) {
  const bool is_captured = stream.capture() != nullptr;
  const std::optional<IdlePlan> idle = plans_of(device_).take(shape, is_captured);
  if (idle) {
    handle_ = idle->handle;
    work_bytes_ = idle->work_bytes;
    end_ = idle->end;
    is_new_ = idle->is_new;
  } else {
    is_new_ = true;
    CUPOLA_CUFFT(device_, cufftCreate, &handle_);
    count(Counter::library_handles);
  }
  try {
    if (!idle) {
      make();
    } else if (!is_captured) {
      // On another stream it may still run. From here on its end is that of both transforms.
      CUPOLA_CUDA(device_, cuStreamWaitEvent, stream.handle, end_, CU_EVENT_WAIT_DEFAULT);
    }
    CUPOLA_CUFFT(device_, cufftSetStream, handle_, stream.handle);
  } catch (...) {
    if (end_) cuda_api().cuEventDestroy(end_);
    cufft_api().cufftDestroy(handle_);
    throw;
  }
}

void BorrowedPlan::make() {
  const CufftTurn turn(true);
  CUPOLA_CUDA(device_, cuEventCreate, &end_, CU_EVENT_DISABLE_TIMING);
  long long length = shape_.length;
  const bool from_real = shape_.type == CUFFT_R2C || shape_.type == CUFFT_D2Z;
  const bool to_real = shape_.type == CUFFT_C2R || shape_.type == CUFFT_Z2D;
  // With these given, the distances between rows count.
  long long in_length = to_real ? length / 2 + 1 : length;
  long long out_length = from_real ? length / 2 + 1 : length;
  CUPOLA_CUFFT(device_, cufftSetAutoAllocation, handle_, 0);
  CUPOLA_CUFFT(device_, cufftMakePlanMany64, handle_, 1, &length, &in_length, shape_.pitch,
               shape_.in_row, &out_length, shape_.pitch, shape_.out_row, shape_.type, shape_.rows,
               &work_bytes_);
}

BorrowedPlan::~BorrowedPlan() {
  if (const auto capture = borrower_.capture()) {
    // The graph reads the plan's memory at every launch.
    capture->resources()->at_end([plan = IdlePlan{shape_, handle_, work_bytes_, end_, is_new_}] {
      if (cuda_api_in_reach()) destroy(plan);
    });
    return;
  }
  cuda_api().cuEventRecord(end_, stream_);
  for (const IdlePlan& last :
       plans_of(device_).put({shape_, handle_, work_bytes_, end_, is_new_})) {
    destroy(last);
  }
}

FftPlanCount idle_plans(int device) { return plans_of(device).count(); }

void keep_idle_plans(int device, std::size_t most) {
  for (const IdlePlan& last : plans_of(device).keep(most)) destroy(last);
}

}  // namespace cupola::cuda
