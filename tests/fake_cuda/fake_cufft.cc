// cuFFT by the definition of the transforms, at once. What it may do it does: it writes over its
// work area, and over the input of transforms to real values.
#include <atomic>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <thread>
#include <vector>

#include "fake_cuda.h"
#include "platforms/cuda/libraries/cufft_abi.h"

using namespace cupola::cuda;

namespace {

using fake_cuda::on_stream;

constexpr std::size_t kWorkBytes = 1000;
constexpr long long kWithoutWork = 8;  // up to this length, of complex values
// Lengths that fail.
constexpr long long kTooLong = 100013;
constexpr long long kBroken = 100017;

struct Plan {
  cufftType type{};
  long long length = 0, rows = 0, in_row = 0, out_row = 0, pitch = 1;
  CUstream stream = nullptr;
  void* work = nullptr;
  bool allocates = true;
  bool is_used = false;
};

std::size_t work_of(const Plan& plan) {
  const bool is_complex = plan.type == CUFFT_C2C || plan.type == CUFFT_Z2Z;
  return is_complex && plan.length <= kWithoutWork ? 0 : kWorkBytes;
}

std::mutex mutex;
std::map<cufftHandle, Plan> plans;
int made = 0;

Plan* find(cufftHandle handle) {
  const std::lock_guard lock(mutex);
  const auto found = plans.find(handle);
  return found == plans.end() ? nullptr : &found->second;
}

// Plans are made, and compute for the first time, while no other thread makes plans or transforms.
class Turn {
 public:
  explicit Turn(bool alone) : mine_(alone ? kAlone : 1) {
    const int others = busy.fetch_add(mine_);
    is_right_ = alone ? others == 0 : others < kAlone;
    if (alone) std::this_thread::yield();
  }
  ~Turn() { busy.fetch_sub(mine_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool is_right() const { return is_right_; }

 private:
  static constexpr int kAlone = 1 << 16;
  static inline std::atomic<int> busy{0};
  int mine_;
  bool is_right_;
};

using Complex = std::complex<long double>;

std::vector<Complex> roots_of_unity(long long n, bool backward) {
  std::vector<Complex> roots;
  for (long long k = 0; k < n; ++k) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                              static_cast<long double>(n);
    roots.push_back(std::polar(1.0L, backward ? angle : -angle));
  }
  return roots;
}

// Numbers of type T, one or two of them for a value.
template <typename T>
void transform(const Plan& plan, T* in, T* out, bool backward) {
  const bool from_real = plan.type == CUFFT_R2C || plan.type == CUFFT_D2Z;
  const bool to_real = plan.type == CUFFT_C2R || plan.type == CUFFT_Z2D;
  const long long n = plan.length;
  const std::vector<Complex> roots = roots_of_unity(n, backward);
  for (long long row = 0; row < plan.rows; ++row) {
    std::vector<Complex> values;
    T* const from = in + row * plan.in_row * (from_real ? 1 : 2);
    for (long long j = 0; j < n; ++j) {
      const bool is_mirrored = to_real && j > n / 2;
      const long long k = (is_mirrored ? n - j : j) * plan.pitch;
      if (from_real) {
        values.emplace_back(from[k]);
      } else {
        values.emplace_back(from[2 * k], is_mirrored ? -from[2 * k + 1] : from[2 * k + 1]);
      }
    }
    for (long long k = 0; k < (from_real ? n / 2 + 1 : n); ++k) {
      Complex sum = 0;
      std::size_t at = 0;
      for (const Complex& value : values) {
        sum += value * roots[at];
        at = (at + static_cast<std::size_t>(k)) % roots.size();
      }
      T* const to = out + row * plan.out_row * (to_real ? 1 : 2);
      const long long place = k * plan.pitch;
      if (to_real) {
        to[place] = static_cast<T>(sum.real() + sum.imag());  // what should not be there is seen
      } else {
        to[2 * place] = static_cast<T>(sum.real());
        to[2 * place + 1] = static_cast<T>(sum.imag());
      }
    }
    for (long long k = 0; to_real && k < n / 2 + 1; ++k) {
      from[2 * k * plan.pitch] = from[2 * k * plan.pitch + 1] = -1;
    }
  }
}

// As cuFFT wants real numbers, too.
template <typename T>
bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % (2 * sizeof(T)) == 0;
}

template <typename T>
cufftResult execute(cufftHandle handle, cufftType type, void* in, void* out, bool backward) {
  Plan* const plan = find(handle);
  if (!plan || plan->type != type) return CUFFT_INVALID_PLAN;
  const Turn turn(!plan->is_used);
  if (!turn.is_right()) return CUFFT_EXEC_FAILED;
  plan->is_used = true;
  if (!plan->work && work_of(*plan) > 0) return CUFFT_NO_WORKSPACE;
  if (!is_aligned<T>(in) || !is_aligned<T>(out)) return CUFFT_INVALID_VALUE;
  if (on_stream("cufftExec", plan->stream) != CUDA_SUCCESS) return CUFFT_EXEC_FAILED;
  if (plan->work) std::memset(plan->work, 0x7f, work_of(*plan));
  transform(*plan, static_cast<T*>(in), static_cast<T*>(out), backward);
  return CUFFT_SUCCESS;
}

}  // namespace

extern "C" int fake_cufft_plans() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(plans.size());
}

extern "C" {
cufftResult cufftCreate(cufftHandle* handle) {
  if (fake_cuda::enter_context("cufftCreate") != CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
  const std::lock_guard lock(mutex);
  *handle = ++made;
  plans[*handle] = {};
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle handle) {
  const std::lock_guard lock(mutex);
  return plans.erase(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  Plan* const plan = find(handle);
  if (!plan || plan->length != 0) return CUFFT_INVALID_PLAN;
  plan->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftMakePlanMany64(cufftHandle handle, int rank, long long* n, long long* in_embed,
                                long long in_step, long long in_row, long long* out_embed,
                                long long out_step, long long out_row, cufftType type,
                                long long rows, std::size_t* work_bytes) {
  Plan* const plan = find(handle);
  if (!plan || plan->allocates || plan->length != 0) return CUFFT_INVALID_PLAN;
  const Turn turn(true);
  if (!turn.is_right()) return CUFFT_INTERNAL_ERROR;
  if (rank != 1 || in_step < 1 || out_step != in_step || !in_embed || !out_embed) {
    return CUFFT_INVALID_VALUE;
  }
  if (*n == kTooLong) return CUFFT_ALLOC_FAILED;
  if (*n == kBroken) return CUFFT_INTERNAL_ERROR;
  plan->type = type;
  plan->length = *n;
  plan->rows = rows;
  plan->in_row = in_row;
  plan->out_row = out_row;
  plan->pitch = in_step;
  *work_bytes = work_of(*plan);
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, CUstream stream) {
  Plan* const plan = find(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void* work) {
  Plan* const plan = find(handle);
  if (!plan || plan->length == 0) return CUFFT_INVALID_PLAN;
  plan->work = work;
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle handle, cufftComplex* in, cufftComplex* out, int direction) {
  return execute<float>(handle, CUFFT_C2C, in, out, direction == kCufftInverse);
}
cufftResult cufftExecR2C(cufftHandle handle, float* in, cufftComplex* out) {
  return execute<float>(handle, CUFFT_R2C, in, out, false);
}
cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* in, float* out) {
  return execute<float>(handle, CUFFT_C2R, in, out, true);
}
cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* in, cufftDoubleComplex* out,
                         int direction) {
  return execute<double>(handle, CUFFT_Z2Z, in, out, direction == kCufftInverse);
}
cufftResult cufftExecD2Z(cufftHandle handle, double* in, cufftDoubleComplex* out) {
  return execute<double>(handle, CUFFT_D2Z, in, out, false);
}
cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex* in, double* out) {
  return execute<double>(handle, CUFFT_Z2D, in, out, true);
}
}  // extern "C"

#define CUPOLA_SAME_TYPE(NAME, ...) static_assert(std::is_same_v<decltype(NAME), __VA_ARGS__>);
CUPOLA_FOR_EACH_CUFFT_FUNCTION(CUPOLA_SAME_TYPE)
