// What tests see of the calls, and what they change: which call fails, what devices and functions
// say of themselves.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "fake_cuda.h"

namespace fake_cuda {
namespace {

struct Calls {
  std::mutex mutex;
  bool are_watched = false;
  std::string made;     // one a line, without the end of the last one
  std::string failing;  // call; empty: none
  int skipped = 0;
  int failure = 0;
  std::map<int, int> device_attributes;
  std::map<int, int> function_attributes;
};
Calls& calls() {
  static Calls& instance = *new Calls;
  return instance;
}

int value_or(const std::map<int, int>& values, int key, int usual) {
  const auto found = values.find(key);
  return found == values.end() ? usual : found->second;
}

}  // namespace

int note_call(const char* name) {
  Calls& all = calls();
  const std::lock_guard lock(all.mutex);
  if (all.are_watched && !all.made.empty()) all.made.append("\n");
  if (all.are_watched) all.made.append(name);
  if (all.failing != name || all.skipped-- > 0) return 0;
  all.failing.clear();
  return all.failure;
}

void note_arguments(const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::lock_guard lock(calls().mutex);
  if (calls().are_watched) calls().made.append(" ").append(text);
}

int device_attribute(int attribute, int usual) {
  const std::lock_guard lock(calls().mutex);
  return value_or(calls().device_attributes, attribute, usual);
}
int function_attribute(int attribute, int usual) {
  const std::lock_guard lock(calls().mutex);
  return value_or(calls().function_attributes, attribute, usual);
}

}  // namespace fake_cuda

using fake_cuda::calls;

void fake_cuda_watch_calls() {
  const std::lock_guard lock(calls().mutex);
  calls().are_watched = true;
  calls().made.clear();
}
std::size_t fake_cuda_take_calls(char* text, std::size_t bytes) {
  const std::lock_guard lock(calls().mutex);
  const std::size_t all = calls().made.size();
  std::memcpy(text, calls().made.data(), std::min(bytes, all));
  calls().made.clear();
  return all;
}
void fake_cuda_set_device_attribute(int attribute, int value) {
  const std::lock_guard lock(calls().mutex);
  calls().device_attributes[attribute] = value;
}
void fake_cuda_set_function_attribute(int attribute, int value) {
  const std::lock_guard lock(calls().mutex);
  calls().function_attributes[attribute] = value;
}
void fake_cuda_fail_call(const char* name, int skipped, int code) {
  const std::lock_guard lock(calls().mutex);
  calls().failing = name ? name : "";
  calls().skipped = skipped;
  calls().failure = code;
}
