#include "platforms/cpu/kernels/rows.h"
namespace cupola::cpu {
void CUPOLA_CPU_JOIN(add_math_kernels_, CUPOLA_CPU_TARGET)(KernelTables&) {}
}  // namespace cupola::cpu
