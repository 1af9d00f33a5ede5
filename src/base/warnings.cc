#include "cupola/warnings.h"

#include <atomic>
#include <cstdio>

namespace cupola {

namespace {
std::atomic<WarningHook> current_hook{nullptr};
}

void set_warning_hook(WarningHook hook) { current_hook.store(hook); }

void warn(const std::string& message) noexcept {
  if (const WarningHook hook = current_hook.load()) {
    hook(message);
  } else {
    std::fprintf(stderr, "cupola: warning: %s\n", message.c_str());
  }
}

}  // namespace cupola
