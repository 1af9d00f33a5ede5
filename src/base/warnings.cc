#include "cupola/warnings.h"

#include <atomic>
#include <cstdio>

namespace cupola {

namespace {
std::atomic<WarningHook> current_hook{nullptr};

void tell(WarningKind kind, const std::string& message) noexcept {
  if (const WarningHook hook = current_hook.load()) {
    hook(kind, message);
  } else {
    std::fprintf(stderr, "cupola: warning: %s\n", message.c_str());
  }
}
}  // namespace

void set_warning_hook(WarningHook hook) { current_hook.store(hook); }

void warn(const std::string& message) noexcept { tell(WarningKind::general, message); }

void warn_of_performance(const std::string& message) noexcept {
  tell(WarningKind::performance, message);
}

}  // namespace cupola
