#pragma once
// What the user should know but what is no error.

#include <cstdint>
#include <string>

namespace cupola {

enum class WarningKind : std::uint8_t { general, performance };

// Called on any thread, perhaps under locks of the library: it must not wait and not throw.
using WarningHook = void (*)(WarningKind kind, const std::string& message) noexcept;
// Python shows warnings as RuntimeWarning, those of performance as its PerformanceWarning. Without
// a hook (null) they go to standard error.
void set_warning_hook(WarningHook hook);
void warn(const std::string& message) noexcept;
// Results are right, but something takes longer than the user may think.
void warn_of_performance(const std::string& message) noexcept;

}  // namespace cupola
