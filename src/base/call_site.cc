#include "base/call_site.h"

namespace cupola {

std::atomic<int> call_site_wishes{0};

namespace {
std::atomic<CallSiteProvider> current_provider{nullptr};
}

void set_call_site_provider(CallSiteProvider provider) { current_provider.store(provider); }

std::string call_site() {
  const CallSiteProvider provider = current_provider.load();
  return provider ? provider() : std::string();
}

}  // namespace cupola
