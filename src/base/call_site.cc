#include "base/call_site.h"

namespace cupola {

std::atomic<int> call_site_wishes{0};
thread_local constinit CallPosition noted_position;

namespace {
std::atomic<const CallSiteProvider*> current_provider{nullptr};
}

std::string PlaceInProgram::to_string() const {
  if (file.empty()) return {};
  return file + ":" + std::to_string(line) + " (" + function + ")";
}

void set_call_site_provider(const CallSiteProvider& provider) {
  current_provider.store(new CallSiteProvider(provider));  // lives for ever
}

std::string call_site() {
  const CallSiteProvider* provider = current_provider.load();
  return provider ? provider->find().to_string() : std::string();
}

PlaceInProgram place_of(const CallPosition& position) {
  const CallSiteProvider* provider = current_provider.load();
  return provider && position ? provider->place_of(position) : PlaceInProgram();
}

}  // namespace cupola
