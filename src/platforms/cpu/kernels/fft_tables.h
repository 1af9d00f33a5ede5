#pragma once
// The Fourier transforms of one instruction set.

#include "platforms/cpu/fft/fft_lanes.h"

namespace cupola::cpu {

struct FftTables {
  FftFunctions<float> singles;
  FftFunctions<double> doubles;
};

void add_fft_kernels_baseline(FftTables& tables);
#ifdef __x86_64__  // not every build has these
void add_fft_kernels_avx2(FftTables& tables);
void add_fft_kernels_avx512(FftTables& tables);
#endif

}  // namespace cupola::cpu
