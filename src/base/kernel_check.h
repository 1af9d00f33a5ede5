#pragma once
// Whether CPU devices check what kernels written in CUDA do, use by use.

namespace cupola {

// At first as CUPOLA_KERNEL_CHECK says.
bool checks_kernels() noexcept;
// Of modules that are compiled from now on.
void check_kernels(bool on) noexcept;

}  // namespace cupola
