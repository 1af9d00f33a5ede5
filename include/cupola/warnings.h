#pragma once
// What the user should know but what is no error.

#include <string>

namespace cupola {

// Called on any thread, perhaps under locks of the library: it must not wait and not throw.
using WarningHook = void (*)(const std::string& message) noexcept;
// Python shows warnings as RuntimeWarning. Without a hook (null) they go to standard error.
void set_warning_hook(WarningHook hook);
void warn(const std::string& message) noexcept;

}  // namespace cupola
