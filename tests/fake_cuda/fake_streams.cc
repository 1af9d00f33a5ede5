// Streams and events.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <set>
#include <vector>

#include "fake_cuda.h"

using namespace fake_cuda;

namespace {

// Smaller ones are of the default streams.
constexpr unsigned long long kFirstStreamId = 4096;

struct ValueWait {
  const std::uint32_t* word;
  std::uint32_t value;

  bool is_over() const {
    const auto now = std::atomic_ref(*const_cast<std::uint32_t*>(word)).load();
    return static_cast<std::int32_t>(now - value) >= 0;
  }
};

struct Stream {
  int device;
  bool stuck = false;  // never done
  unsigned long long id = 0;
  std::set<const Stream*> held_by;  // streams that the test holds: it comes after them
  std::vector<ValueWait> values;    // likewise
  std::recursive_mutex on_host;     // functions of the host, which come one after the other

  bool waits_for_values() const {
    return !std::all_of(values.begin(), values.end(),
                        [](const ValueWait& wait) { return wait.is_over(); });
  }
};

std::mutex& holding() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
// Null: a default stream, which is never held.
Stream* find_stream(const void* handle) {
  return reinterpret_cast<std::size_t>(handle) > 2 ? static_cast<Stream*>(const_cast<void*>(handle))
                                                   : nullptr;
}
std::set<Stream*>& streams_and_events() {
  static std::set<Stream*>& known = *new std::set<Stream*>;
  return known;
}
void add_known(Stream* stream) {
  const std::lock_guard lock(holding());
  streams_and_events().insert(stream);
}
void remove_known(Stream* stream) {
  const std::lock_guard lock(holding());
  streams_and_events().erase(stream);
}
bool is_held(const void* handle) {
  const std::lock_guard lock(holding());
  const Stream* const stream = find_stream(handle);
  return stream && (!stream->held_by.empty() || stream->waits_for_values());
}
bool is_behind_values(const void* handle) {
  const std::lock_guard lock(holding());
  const Stream* const stream = find_stream(handle);
  return stream && stream->waits_for_values();
}

bool is_stuck(CUstream stream) {
  return reinterpret_cast<std::size_t>(stream) > 2 && reinterpret_cast<Stream*>(stream)->stuck;
}

CUresult make_stream(const char* name, CUstream* stream) {
  static std::atomic<unsigned long long> last_id{kFirstStreamId};
  auto* made = new Stream{};
  made->id = ++last_id;
  add_known(made);
  const CUresult result = enter_context(name, &made->device);
  *stream = reinterpret_cast<CUstream>(made);
  return result;
}

void wait_while(bool (*is_so)(const void*), const void* handle) {
  for (int i = 0; i < 20000 && is_so(handle); ++i) usleep(1000);
  if (!is_so(handle)) return;
  std::fprintf(stderr, "fake_cuda: a wait for work that is held\n");
  std::abort();
}
// Until the test has released what holds it.
void wait_while_held(const void* handle) { wait_while(is_held, handle); }

}  // namespace

void fake_cuda_hold(CUstream handle) {
  const std::lock_guard lock(holding());
  Stream* const stream = find_stream(handle);
  stream->held_by.insert(stream);
}
void fake_cuda_release(CUstream handle) {
  const std::lock_guard lock(holding());
  for (Stream* const each : streams_and_events()) each->held_by.erase(find_stream(handle));
}

void fake_cuda::make_stuck(CUstream stream) { find_stream(stream)->stuck = true; }
void fake_cuda::wait_for_values(CUstream stream) { wait_while(is_behind_values, stream); }

CUresult fake_cuda::fault_on(CUstream stream) {
  const Stream* const found = find_stream(stream);
  return found ? gpu(found->device).fault : CUDA_SUCCESS;
}

CUresult fake_cuda::on_stream(const char* name, CUstream stream, int* device) {
  if (const CUresult refused = enter(name)) return refused;
  if (reinterpret_cast<std::size_t>(stream) <= 2) return enter_context(name, device);
  const int own = reinterpret_cast<Stream*>(stream)->device;
  if (device) *device = own;
  return gpu(own).fault;
}

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  return make_stream("cuStreamCreate", stream);
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int, int) {
  return make_stream("cuStreamCreateWithPriority", stream);
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(&gpu(reinterpret_cast<Stream*>(stream)->device));
  return enter("cuStreamGetCtx");
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  int device = 0;
  if (const CUresult refused = on_stream("cuStreamGetId", stream, &device)) return refused;
  const auto handle = reinterpret_cast<std::size_t>(stream);
  *id = handle <= 2 ? 3 * static_cast<unsigned long long>(device) + handle
                    : reinterpret_cast<Stream*>(stream)->id;
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream stream) {
  if (const CUresult refused = enter("cuStreamDestroy")) return refused;
  remove_known(reinterpret_cast<Stream*>(stream));
  delete reinterpret_cast<Stream*>(stream);
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream stream) {
  if (is_stuck(stream)) {
    std::fprintf(stderr, "fake_cuda: a wait for work that never ends\n");
    std::abort();
  }
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  wait_while_held(stream);
  return on_stream("cuStreamSynchronize", stream);
}
CUresult cuStreamQuery(CUstream stream) {
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const CUresult result = on_stream("cuStreamQuery", stream);
  const bool is_busy = is_stuck(stream) || is_held(stream);
  return result == CUDA_SUCCESS && is_busy ? CUDA_ERROR_NOT_READY : result;
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int) {
  if (captured_wait(stream, event)) return on_stream("cuStreamWaitEvent", stream);
  if (Stream* const later = find_stream(stream)) {
    const std::lock_guard lock(holding());
    const Stream& earlier = *find_stream(event);
    later->held_by.merge(std::set(earlier.held_by));
    // Streams wait for each other in circles, again and again: what is over waits no more.
    std::erase_if(later->values, [](const ValueWait& wait) { return wait.is_over(); });
    std::ranges::copy_if(earlier.values, std::back_inserter(later->values),
                         [](const ValueWait& wait) { return !wait.is_over(); });
  }
  return on_stream("cuStreamWaitEvent", stream);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr word, cuuint32_t value,
                             unsigned int flags) {
  if (const CUresult refused = on_stream("cuStreamWaitValue32", stream)) return refused;
  note_arguments("%u", value);
  Stream* const waiting = find_stream(stream);
  if (!waiting || flags != CU_STREAM_WAIT_VALUE_GEQ) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(holding());
  std::erase_if(waiting->values, [](const ValueWait& wait) { return wait.is_over(); });
  waiting->values.push_back(
      {static_cast<const std::uint32_t*>(reinterpret_cast<void*>(word)), value});
  return CUDA_SUCCESS;
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  const CUresult result = on_stream("cuLaunchHostFunc", stream);
  if (result != CUDA_SUCCESS) return result;
  if (captured(stream, [function, data](CUstream on) { cuLaunchHostFunc(on, function, data); })) {
    return result;
  }
  wait_for_values(stream);
  Stream* const own = find_stream(stream);
  const auto turn = own ? std::unique_lock(own->on_host) : std::unique_lock<std::recursive_mutex>();
  function(data);
  return result;
}

CUresult cuEventCreate(CUevent* event, unsigned int) {
  static std::atomic<unsigned long long> last_id{kFirstStreamId};
  auto* made = new Stream{};
  made->id = ++last_id;
  add_known(made);
  const CUresult result = enter_context("cuEventCreate", &made->device);
  *event = reinterpret_cast<CUevent>(made);
  return result;
}
CUresult cuEventDestroy(CUevent event) {
  if (const CUresult refused = enter("cuEventDestroy")) return refused;
  remove_known(reinterpret_cast<Stream*>(event));
  forget(event);
  delete reinterpret_cast<Stream*>(event);
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (captured_record(event, stream)) return on_stream("cuEventRecord", stream);
  {
    const std::lock_guard lock(holding());
    const Stream* const recorded = find_stream(stream);
    Stream& marked = *find_stream(event);
    marked.held_by = recorded ? recorded->held_by : std::set<const Stream*>{};
    marked.values = recorded ? recorded->values : std::vector<ValueWait>{};
  }
  return on_stream("cuEventRecord", stream);
}
CUresult cuEventQuery(CUevent event) {
  if (is_spent(event)) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = on_stream("cuEventQuery", reinterpret_cast<CUstream>(event));
  return result == CUDA_SUCCESS && is_held(event) ? CUDA_ERROR_NOT_READY : result;
}
CUresult cuEventSynchronize(CUevent event) {
  wait_while_held(event);
  return on_stream("cuEventSynchronize", reinterpret_cast<CUstream>(event));
}
