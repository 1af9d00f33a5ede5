#include "platforms/cpu/modules/user_loops.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/containers/added_list.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "codegen/user/host_loops.h"
#include "cupola/error.h"
#include "platforms/cpu/modules/host_compiler.h"

namespace cupola::cpu {
namespace {

// Few elements are computed by any number of threads, each of which looks up the loop.
class KnownLoops {
 public:
  const UserLoops* find(const UserFunction& function) {
    const Known* const known =
        list_of(function).find([&](const Known& each) { return each.key == function.key; });
    return known != nullptr ? &known->loops : nullptr;
  }
  // By the thread that has compiling().
  void add(const UserFunction& function, const UserLoops& loops) {
    list_of(function).add(function.key, loops);
  }
  // One thread compiles, the others wait.
  Mutex& compiling() { return compiling_; }

 private:
  struct Known {
    Hash128 key;
    UserLoops loops;
  };
  AddedList<Known>& list_of(const UserFunction& function) {
    return lists_[function.key.low % lists_.size()];
  }

  std::array<AddedList<Known>, 64> lists_;
  Mutex compiling_;
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

UserLoops resolved(void* code, const UserFunction& function) {
  UserLoops loops;
  const std::string name = host_loop_name(function);
  if (function.outputs.size() == 1) {
    resolve(code, name, loops.one);
  } else {
    resolve(code, name, loops.several);
  }
  if (function.combines) {
    loops.reduce.combine = loops.one;
    resolve(code, name + "_tree", loops.reduce.tree);
    resolve(code, name + "_rows", loops.reduce.rows);
  }
  return loops;
}

}  // namespace

void load_user_loops(std::span<const UserFunction* const> functions) {
  KnownLoops& known = known_loops();
  const std::lock_guard compiling(known.compiling());
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
    known.add(*function, resolved(code, *function));
  }
}

const UserLoops& user_loops(const UserFunction& function) {
  if (const UserLoops* const found = known_loops().find(function)) return *found;
  const UserFunction* const one[] = {&function};
  load_user_loops(one);
  return *known_loops().find(function);
}

}  // namespace cupola::cpu
