// Copies between host memory and the devices that do not wait for their turn.

#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/device/host_memory.h"
#include "platforms/cpu/streams/handles.h"

namespace cupola::cpu {
namespace {

void submit_copy(void* target, const void* source, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  const auto copy = [=] { copy_bytes(target, source, bytes); };
  if (bytes > kMostCopiedAtOnce || !stream->queue->try_run_now(copy)) stream->queue->enqueue(copy);
}

}  // namespace

void CpuDriver::copy_from_host_async(void* target, const void* source, std::size_t bytes,
                                     StreamHandle stream) {
  submit_copy(target, source, bytes, stream);
}

void CpuDriver::copy_to_host_async(void* target, const void* source, std::size_t bytes,
                                   StreamHandle stream) {
  submit_copy(target, source, bytes, stream);
}

void CpuDriver::copy_to_caller(void* target, const void* source, std::size_t bytes,
                               StreamHandle stream) {
  if (bytes == 0) return;
  if (stream->queue->recording()) refuse_in_capture("to copy to a caller that waits");
  const auto copy = [=] { copy_bytes(target, source, bytes); };
  if (bytes > kMostCopiedAtOnce || !stream->queue->try_run_now(copy)) {
    stream->queue->enqueue_borrowed(copy);
  }
}

}  // namespace cupola::cpu
