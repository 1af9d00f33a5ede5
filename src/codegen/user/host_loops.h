#pragma once
// Users' functions (codegen/user/user_function.h) as loops for the compiler of the host.

#include <span>
#include <string>

#include "codegen/user/user_kernel.h"
#include "graph/user_function.h"

namespace cupola {

// All loops of the functions, over arrays without gaps, of which outputs may be inputs. Of a
// function with one output, and of others:
//   extern "C" void NAME(const void* const* inputs, void* output, ptrdiff_t count)
//   extern "C" void NAME(const void* const* inputs, void* const* outputs, ptrdiff_t count)
// and of a function that combines, with the meaning of ReduceLoops on the CPU platform:
//   NAME_tree(const void* values, ptrdiff_t count, void* result)
//   NAME_rows(const void* rows, ptrdiff_t row_stride, ptrdiff_t row_count, ptrdiff_t count,
//             void* accumulators)
UserText host_loops_text(std::span<const UserFunction* const> functions);
std::string host_loop_name(const UserFunction& function);

}  // namespace cupola
