// Functions of the driver that the library looks for and the fake has no use of: they refuse.
#include "platforms/cuda/device/cuda_api.h"

#define FAKE_TEXT(NAME) #NAME
#define FAKE_EXPANDED_TEXT(NAME) FAKE_TEXT(NAME)
#define FAKE_JOIN(A, B) A##B
#define FAKE_NAME(NUMBER) FAKE_JOIN(fake_rest_, NUMBER)
// Weak: what the other files define wins.
#define FAKE_DEFINE(NAME, NUMBER)                                       \
  extern "C" int FAKE_NAME(NUMBER)() __asm__(FAKE_EXPANDED_TEXT(NAME)); \
  extern "C" __attribute__((weak)) int FAKE_NAME(NUMBER)() { return CUDA_ERROR_NOT_SUPPORTED; }
#define FAKE_REST(NAME) FAKE_DEFINE(NAME, __COUNTER__)

CUPOLA_FOR_EACH_CUDA_FUNCTION(FAKE_REST)
// Whose name a macro of cuda.h changes, but the library looks for as it is.
extern "C" int fake_elapsed_time(float* milliseconds) __asm__("cuEventElapsedTime");
extern "C" int fake_elapsed_time(float* milliseconds) {
  *milliseconds = 0;
  return CUDA_SUCCESS;
}
// The compiler that a program opens beside the fake driver asks for it.
extern "C" CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}
