#pragma once
// Whether CPU devices check what kernels written in CUDA do, use by use.

namespace cupola {

// At first what CUPOLA_KERNEL_CHECK says. Holds for modules that are compiled from then on.
bool checks_kernels() noexcept;
void set_checks_kernels(bool on) noexcept;

}  // namespace cupola
