#include "platforms/cuda/libraries/cufft.h"

#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/libraries/cufft_api.h"

namespace cupola::cuda {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

void clear_words(CUdeviceptr first, std::int64_t pitch, const FftProblem& problem,
                 CudaStream& stream) {
  const std::size_t words = problem.is_double ? 2 : 1;
  const int device = stream.context->index;
  const auto rows = static_cast<std::size_t>(problem.rows);
  CUPOLA_CUDA(device, cuMemsetD2D32Async, first, static_cast<std::size_t>(pitch), 0, words, rows,
              stream.handle);
}

// cuFFT wants real numbers, too, where complex ones may lie.
bool is_aligned(const void* pointer, const FftProblem& problem) {
  const std::uintptr_t complex_bytes = problem.is_double ? 16 : 8;
  return reinterpret_cast<std::uintptr_t>(pointer) % complex_bytes == 0;
}

// For transforms to real values, whose input cuFFT writes over, without the imaginary parts that do
// not count.
const void* copied_input(const FftProblem& problem, void* memory, CudaStream& stream) {
  const auto copy = device_address(memory);
  CUPOLA_CUDA(stream.context->index, cuMemcpyDtoDAsync, copy, device_address(problem.in),
              problem.in_bytes(), stream.handle);
  if (problem.kind != FftKind::complex_to_real) return memory;
  const std::int64_t item = problem.in_item();
  const CUdeviceptr imaginary = copy + static_cast<CUdeviceptr>(item / 2);
  clear_words(imaginary, problem.in_row * item, problem, stream);
  if (problem.length % 2 == 0) {
    clear_words(imaginary + static_cast<CUdeviceptr>(problem.length / 2 * item),
                problem.in_row * item, problem, stream);
  }
  return memory;
}

// From `memory`, where they lie as in `problem.out`; what is between rows there stays as it is.
void copy_results(const FftProblem& problem, const void* memory, CudaStream& stream) {
  const int device = stream.context->index;
  const auto from = device_address(memory);
  const auto to = device_address(problem.out);
  const bool is_matrix = problem.pitch > 1;
  const auto bytes = [&](std::int64_t elements) {
    return static_cast<std::size_t>(elements * problem.out_item());
  };
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.srcPitch = copy.dstPitch = bytes(is_matrix ? problem.pitch : problem.out_row);
  copy.WidthInBytes = bytes(is_matrix ? problem.columns : problem.out_length());
  copy.Height = static_cast<std::size_t>(is_matrix ? problem.out_length() : problem.rows);
  if (copy.Height == 1) {  // which may be longer than a pitch
    CUPOLA_CUDA(device, cuMemcpyDtoDAsync, to, from, copy.WidthInBytes, stream.handle);
  } else {
    CUPOLA_CUDA(device, cuMemcpy2DAsync, &copy, stream.handle);
  }
}

// cuFFT does not write to the input of the other transforms.
template <typename T>
T* values(const void* pointer) {
  return static_cast<T*>(const_cast<void*>(pointer));
}

void execute(BorrowedPlan& plan, const FftProblem& p, int device) {
  const CufftTurn turn = plan.turn();
  const int direction = p.kind == FftKind::backward ? kCufftInverse : kCufftForward;
  switch (p.kind) {
    case FftKind::forward:
    case FftKind::backward:
      if (p.is_double) {
        CUPOLA_CUFFT(device, cufftExecZ2Z, plan.get(), values<cufftDoubleComplex>(p.in),
                     values<cufftDoubleComplex>(p.out), direction);
      } else {
        CUPOLA_CUFFT(device, cufftExecC2C, plan.get(), values<cufftComplex>(p.in),
                     values<cufftComplex>(p.out), direction);
      }
      return;
    case FftKind::real_to_complex:
      if (p.is_double) {
        CUPOLA_CUFFT(device, cufftExecD2Z, plan.get(), values<double>(p.in),
                     values<cufftDoubleComplex>(p.out));
      } else {
        CUPOLA_CUFFT(device, cufftExecR2C, plan.get(), values<float>(p.in),
                     values<cufftComplex>(p.out));
      }
      return;
    case FftKind::complex_to_real:
      if (p.is_double) {
        CUPOLA_CUFFT(device, cufftExecZ2D, plan.get(), values<cufftDoubleComplex>(p.in),
                     values<double>(p.out));
      } else {
        CUPOLA_CUFFT(device, cufftExecC2R, plan.get(), values<cufftComplex>(p.in),
                     values<float>(p.out));
      }
      return;
  }
}

// Of rows, or of the columns of one matrix.
void transform_block(const FftProblem& problem, CudaStream& stream) {
  const int device = stream.context->index;
  BorrowedPlan plan(cufft_shape(problem), stream);
  const bool copies = problem.kind == FftKind::complex_to_real || !is_aligned(problem.in, problem);
  const bool copies_back = !is_aligned(problem.out, problem);
  const std::size_t work = aligned(plan.work_bytes());
  const std::size_t in_bytes = copies ? aligned(problem.in_bytes()) : 0;
  const std::size_t bytes = work + in_bytes + (copies_back ? problem.out_bytes() : 0);
  if (bytes == 0) return execute(plan, problem, device);
  const Scratch scratch(stream, bytes);
  auto* const memory = static_cast<char*>(scratch.data());
  CUPOLA_CUFFT(device, cufftSetWorkArea, plan.get(), memory);
  FftProblem aligned_problem = problem;
  if (copies) aligned_problem.in = copied_input(problem, memory + work, stream);
  if (copies_back) aligned_problem.out = memory + work + in_bytes;
  execute(plan, aligned_problem, device);
  if (copies_back) copy_results(problem, aligned_problem.out, stream);
}

bool is_complex(const FftProblem& problem) {
  return problem.kind == FftKind::forward || problem.kind == FftKind::backward;
}

// Short rows of complex values have their bits however many go together: in one call, the device
// waits for the last blocks of a part only once. False: not such rows, or not without work memory.
bool transform_together(const FftProblem& problem, CudaStream& stream) {
  constexpr std::int64_t kLongest = 4096;
  if (!is_complex(problem) || problem.pitch > 1 || problem.length > kLongest) return false;
  if (!is_aligned(problem.in, problem) || !is_aligned(problem.out, problem)) return false;
  BorrowedPlan plan(cufft_shape(problem), stream);
  if (plan.work_bytes() > 0) return false;
  execute(plan, problem, stream.context->index);
  return true;
}

}  // namespace

void cufft_transform(const FftProblem& problem, CudaStream& stream) {
  cufft_api();  // throws, also where there is nothing to do
  if (problem.rows == 0) return;
  const ContextGuard guard(*stream.context);
  if (transform_together(problem, stream)) return;
  for (const FftProblem& block : fft_blocks(problem)) {
    if (block.pitch == 1) {
      transform_block(block, stream);
      continue;
    }
    for (std::int64_t i = 0; i < block.rows; ++i) transform_block(block.part(i, 1), stream);
  }
}

// One call for each matrix: of smaller ones the calls take longer than copies do.
bool takes_columns(const FftProblem& problem) {
  constexpr std::size_t kSmallestMatrix = std::size_t{16} << 20;  // bytes
  constexpr std::int64_t kFewestColumns = 16;
  if (!is_complex(problem) || problem.columns < kFewestColumns) return false;
  return problem.rows == 1 || problem.part(0, 1).in_bytes() >= kSmallestMatrix;
}

}  // namespace cupola::cuda
