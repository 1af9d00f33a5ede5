#include "memory/hooks.h"

#include <atomic>
#include <utility>

#include "base/threads/thread_owned.h"
#include "memory/history.h"

namespace cupola {

namespace {

std::atomic<void (*)()> collector{nullptr};
std::atomic<Site (*)()> site_finder{nullptr};

constinit thread_local int barriers = 0;

Site& site_at_barrier() { return ThreadOwned<Site>::get(); }

Site find_site() {
  const auto find = site_finder.load();
  return find ? find() : nullptr;
}

}  // namespace

void set_collector(void (*collect)()) { collector.store(collect); }
void set_site_finder(Site (*find)()) { site_finder.store(find); }

InterpreterBarrier::InterpreterBarrier() {
  if (barriers == 0 && is_recording()) site_at_barrier() = find_site();
  ++barriers;
}

InterpreterBarrier::~InterpreterBarrier() { --barriers; }

bool has_interpreter_barrier() noexcept { return barriers > 0; }

bool run_collector() {
  const auto collect = collector.load();
  if (!collect || has_interpreter_barrier()) return false;
  const InterpreterBarrier once;  // finalizers that ask for memory do not collect again
  collect();
  return true;
}

Site current_site() {
  if (!is_recording()) return nullptr;
  return barriers > 0 ? site_at_barrier() : find_site();
}

}  // namespace cupola
