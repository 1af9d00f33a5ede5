#pragma once
// cuFFT, opened on first use, and plans to borrow.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "driver/fft_problem.h"
#include "platforms/cuda/libraries/cufft_abi.h"
#include "platforms/cuda/streams/cuda_stream.h"

namespace cupola::cuda {

const CufftApi& cufft_api();
// OutOfMemoryError for a lack of memory, else DeviceError; with cuFFT's name for the result.
void check_cufft(cufftResult result, const char* call, int device);
#define CUPOLA_CUFFT(DEVICE, CALL, ...) \
  ::cupola::cuda::check_cufft(::cupola::cuda::cufft_api().CALL(__VA_ARGS__), #CALL, DEVICE)

// All that a plan is made from.
struct CufftShape {
  cufftType type;
  long long length;
  long long rows;
  long long in_row;  // elements from one row to the next
  long long out_row;
  long long pitch = 1;  // elements from one value of a row to the next

  bool operator==(const CufftShape&) const = default;
};
// Of rows, or of the columns of one matrix.
CufftShape cufft_shape(const FftProblem& problem);

struct CufftPlan {
  CufftShape shape;
  cufftHandle handle = 0;
  std::size_t work_bytes = 0;
  CUevent end = nullptr;  // of its transforms
  bool is_new = true;     // there were none
};

// While a thread has a turn alone, no other of this process makes a plan or queues a transform.
// Plans are made alone, and compute alone for the first time, without which first transforms of
// many threads met illegal addresses: see decision 25.
class CufftTurn {
 public:
  explicit CufftTurn(bool alone);

 private:
  std::unique_lock<std::shared_mutex> alone_;
  std::shared_lock<std::shared_mutex> with_others_;
};

// A plan of the stream's device, set to the stream; no other thread has it meanwhile, and on the
// device its transforms come one after the other, whatever their streams are. It has no work area:
// cufftSetWorkArea(). A device keeps the last few; one goes when it has no transforms left. The
// context must be current.
class BorrowedPlan {
 public:
  BorrowedPlan(const CufftShape& shape, CudaStream& stream);
  ~BorrowedPlan();
  BorrowedPlan(const BorrowedPlan&) = delete;
  BorrowedPlan& operator=(const BorrowedPlan&) = delete;
  cufftHandle get() const { return plan_.handle; }
  std::size_t work_bytes() const { return plan_.work_bytes; }
  // To be had while a transform is queued: alone, if it is the plan's first one.
  CufftTurn turn() { return CufftTurn(std::exchange(plan_.is_new, false)); }

 private:
  bool take();
  void make();

  const int device_;
  CudaStream& stream_;
  CufftPlan plan_;
};

// What a device keeps of plans that nobody has borrowed. The context must be current.
FftPlanCount idle_plans(int device);
void keep_idle_plans(int device, std::size_t most);

}  // namespace cupola::cuda
