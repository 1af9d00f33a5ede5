#pragma once
// Kernels whose bodies are C++ text of the user: a function of each element, or a reduction. The
// parameters, the types of which the arguments may decide, are declared in a list such as
// "float32 x, raw T y".
//
// A kernel belongs to no device. For each combination of argument types, and of layouts where it is
// no part of others, it is compiled when it is first needed, by NVRTC on CUDA devices and by the
// machine's C++ compiler on CPU devices. Errors: TypeError and ValueError for arguments,
// DeviceError for arrays on different devices, CompileError with the numbered text, LibraryError
// where there is no compiler.
//
// An elementwise kernel becomes a part of the kernels that compute its inputs and use its results,
// where the body is a function of one element: nothing is raw, `i`, threads and blocks are not
// mentioned, there is no `return` and nothing around the loop. Such a body is compiled without
// contraction (a * b + c rounds twice), and at a call with inputs alone its results are pending.
// With a stream they are computed at the call, and so is an output that is given, to which the body
// must assign as a whole; other calls with outputs are kernels of their own.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cupola/ops/elementwise.h"
#include "cupola/runtime.h"

namespace cupola {

struct UserDefinition;
class UserKernelState;

struct ElementwiseSource {
  std::string in_params{}, out_params{};
  std::string operation{};  // for the element number `i`
  std::string name = "kernel";
  bool reduce_dims = true;  // neighbouring dimensions become one where they can
  std::string preamble{};   // in front of the kernel
  std::string loop_prep{};  // before and after the loop over elements
  std::string after_loop{};
  std::vector<std::string> options{};  // of the compiler
};

struct ElementwiseLaunch {
  std::optional<std::int64_t> size{};  // elements, where all arrays are raw
  std::int64_t block_size = 128;       // threads, on CUDA devices
  std::optional<Stream> stream{};      // default: the current one of the arrays' device
};

class ElementwiseKernel {
 public:
  explicit ElementwiseKernel(const ElementwiseSource& source);
  // Inputs, or inputs and outputs. Returns the outputs, new ones where none are given. Where an
  // output is given that shares memory with an input, the result is as if the input was copied.
  std::vector<Array> operator()(std::span<const Operand> arguments,
                                const ElementwiseLaunch& launch = {}) const;
  std::vector<Array> operator()(std::initializer_list<Operand> arguments,
                                const ElementwiseLaunch& launch = {}) const {
    return (*this)(std::span(arguments.begin(), arguments.size()), launch);
  }
  const UserDefinition& definition() const;
  // The texts compiled so far, with the types of the parameters.
  std::vector<std::pair<std::vector<DType>, std::string>> texts() const;

 private:
  std::shared_ptr<UserKernelState> state_;
};

struct ReductionSource {
  std::string in_params{}, out_params{};
  std::string map{};                      // of an input element
  std::string reduce{};                   // of `a` and `b`
  std::string post_map{};                 // stores `a` to the outputs
  std::optional<std::string> identity{};  // of no elements; none: that is an error
  std::string name = "reduce_kernel";
  std::string reduce_type{};  // of `a` and `b`; default: the first output's
  bool reduce_dims = true;
  std::string preamble{};
  std::vector<std::string> options{};
};

struct ReductionLaunch {
  Axes axes{};  // default: all
  bool keepdims = false;
  std::optional<Stream> stream{};
};

// Elements are combined in an order that depends on shapes and strides only, which is that of sums
// where the kernel may be a part of others: where its texts are functions of values as above,
// without places of elements (`_J`, `_in_ind`) and a reduce_type of the user's own. Such texts are
// compiled without contraction. The results of calls with inputs alone are pending then; with a
// stream or outputs they are computed at the call, in the same order unless post_map is more than
// an assignment to an output that is given.
class ReductionKernel {
 public:
  explicit ReductionKernel(const ReductionSource& source);
  std::vector<Array> operator()(std::span<const Operand> arguments,
                                const ReductionLaunch& launch = {}) const;
  std::vector<Array> operator()(std::initializer_list<Operand> arguments,
                                const ReductionLaunch& launch = {}) const {
    return (*this)(std::span(arguments.begin(), arguments.size()), launch);
  }
  const UserDefinition& definition() const;
  std::vector<std::pair<std::vector<DType>, std::string>> texts() const;

 private:
  std::shared_ptr<UserKernelState> state_;
};

}  // namespace cupola
