#include "platforms/cpu/modules/user_loops.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "codegen/user/host_loops.h"
#include "cupola/error.h"
#include "platforms/cpu/modules/host_compiler.h"

namespace cupola::cpu {
namespace {

struct KnownLoops {
  KnownLoops() { lock_at_fork(ForkLayer::platform, mutex); }
  const UserLoops* find(const UserFunction& function) {
    const std::lock_guard lock(mutex);
    const auto found = loops.find(function.key);
    return found == loops.end() ? nullptr : found->second;
  }
  std::mutex mutex;
  std::map<Hash128, const UserLoops*> loops;
  Mutex compiling;  // one thread compiles, the others wait
};

KnownLoops& known_loops() {
  static constinit Lazy<KnownLoops> known;
  return *known;
}

template <typename Function>
void resolve(void* code, const std::string& name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(code, name.c_str()));
  if (function == nullptr) {
    throw LibraryError(fmt::format("the compiled functions lack {}", name));
  }
}

const UserLoops* resolved(void* code, const UserFunction& function) {
  auto loops = std::make_unique<UserLoops>();
  const std::string name = host_loop_name(function);
  if (function.outputs.size() == 1) {
    resolve(code, name, loops->one);
  } else {
    resolve(code, name, loops->several);
  }
  if (function.combines) {
    loops->reduce.combine = loops->one;
    resolve(code, name + "_tree", loops->reduce.tree);
    resolve(code, name + "_rows", loops->reduce.rows);
  }
  return loops.release();
}

}  // namespace

void load_user_loops(std::span<const UserFunction* const> functions) {
  KnownLoops& known = known_loops();
  const std::lock_guard compiling(known.compiling);
  std::vector<const UserFunction*> unknown;
  for (const UserFunction* function : functions) {
    if (known.find(*function) == nullptr) unknown.push_back(function);
  }
  if (unknown.empty()) return;
  UserText text = host_loops_text(unknown);
  ModuleSource source;
  source.prelude = std::move(text.prelude);
  source.text = std::move(text.text);
  source.backend = ModuleSource::Backend::host;
  void* const code = load_host_code(source);
  for (const UserFunction* function : unknown) {
    const UserLoops* const loops = resolved(code, *function);
    const std::lock_guard lock(known.mutex);
    known.loops[function->key] = loops;
  }
}

const UserLoops& user_loops(const UserFunction& function) {
  if (const UserLoops* const found = known_loops().find(function)) return *found;
  const UserFunction* const one[] = {&function};
  load_user_loops(one);
  return *known_loops().find(function);
}

}  // namespace cupola::cpu
