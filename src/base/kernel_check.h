#pragma once
// Whether CPU devices check what kernels written in CUDA do, use by use.

namespace cupola {

// What CUPOLA_KERNEL_CHECK says when it is first asked for.
bool checks_kernels() noexcept;

}  // namespace cupola
