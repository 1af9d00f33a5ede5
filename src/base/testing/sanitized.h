#pragma once
// For tests: whether a sanitizer stands between the program and its memory, locks and time.

namespace cupola {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace cupola
