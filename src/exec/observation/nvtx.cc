#include "exec/observation/nvtx.h"

#ifdef CUPOLA_WITH_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

#include <mutex>
#include <string>

#include "base/process/environment.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

#ifdef CUPOLA_WITH_NVTX

void push(const char* name) { nvtxRangePushA(name); }
void pop() { nvtxRangePop(); }

nvtxEventAttributes_t coloured(const std::string& message, std::uint32_t color) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = color;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = message.c_str();
  return attributes;
}

#else

void push(const char*) {}
void pop() {}

#endif

class Ranges final : public Observer {
 public:
  Ranges() { lock_at_fork(ForkLayer::exec, mutex_); }
  static Ranges& instance() {
    static constinit Lazy<Ranges> ranges;
    return *ranges;
  }
  void start() {
    const std::lock_guard lock(mutex_);
    if (users_++ == 0) add_observer(*this);
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    if (users_ > 0 && --users_ == 0) remove_observer(*this);
  }
  bool is_on() {
    const std::lock_guard lock(mutex_);
    return users_ > 0;
  }
  void* work_begins(const Work& work) noexcept override {
    push(work.name.c_str());
    return nullptr;
  }
  void work_ends(const Work&, void*) noexcept override { pop(); }
  void wait_begins(const Wait& wait) noexcept override {
    push(wait.asked_by ? wait.asked_by : "synchronize");
  }
  void wait_ends(const Wait&) noexcept override { pop(); }

 private:
  std::mutex mutex_;
  int users_ = 0;
};

// CUPOLA_NVTX=1: for the whole process.
[[maybe_unused]] const bool started = [] {
  const bool wanted = is_switched_on("CUPOLA_NVTX");
  if (wanted) start_nvtx();
  return wanted;
}();

}  // namespace

bool nvtx_is_available() {
#ifdef CUPOLA_WITH_NVTX
  return true;
#else
  return false;
#endif
}
void start_nvtx() { Ranges::instance().start(); }
void stop_nvtx() { Ranges::instance().stop(); }
bool nvtx_is_on() { return Ranges::instance().is_on(); }

#ifdef CUPOLA_WITH_NVTX

void nvtx_push(const std::string& message, std::uint32_t color) {
  const nvtxEventAttributes_t attributes = coloured(message, color);
  nvtxRangePushEx(&attributes);
}
std::uint64_t nvtx_begin(const std::string& message, std::uint32_t color) {
  const nvtxEventAttributes_t attributes = coloured(message, color);
  return nvtxRangeStartEx(&attributes);
}
void nvtx_end(std::uint64_t range) { nvtxRangeEnd(range); }
void nvtx_mark(const std::string& message, std::uint32_t color) {
  const nvtxEventAttributes_t attributes = coloured(message, color);
  nvtxMarkEx(&attributes);
}

#else

void nvtx_push(const std::string&, std::uint32_t) {}
std::uint64_t nvtx_begin(const std::string&, std::uint32_t) { return 0; }
void nvtx_end(std::uint64_t) {}
void nvtx_mark(const std::string&, std::uint32_t) {}

#endif

void nvtx_pop() { pop(); }

}  // namespace cupola
