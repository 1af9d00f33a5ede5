#include "exec/user_kernels/user_functions.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "cupola/error.h"

namespace cupola {
namespace {

struct KnownFunctions {
  KnownFunctions() { lock_at_fork(ForkLayer::exec, mutex); }
  std::mutex mutex;
  std::map<Hash128, const UserFunction*> functions;  // never destroyed: nodes and plans have them
};

// The one function that is equal.
const UserFunction* unique(UserFunction function) {
  static constinit Lazy<KnownFunctions> instance;
  KnownFunctions& known = *instance;
  const std::lock_guard lock(known.mutex);
  const UserFunction*& found = known.functions[function.key];
  if (found == nullptr) found = new UserFunction(std::move(function));
  return found;
}

ModuleSource source_of(std::span<const UserFunction* const> functions) {
  UserText text = user_function_text(functions);
  ModuleSource source;
  source.prelude = std::move(text.prelude);
  source.text = std::move(text.text);
  source.options.assign(std::begin(kFunctionOptions), std::end(kFunctionOptions));
  return source;
}

}  // namespace

UserFunctions::Entry* UserFunctions::look_up(std::span<const DType> types) const {
  return entries_.find([&](const Entry& entry) { return std::ranges::equal(entry.types, types); });
}

UserFunctions::Entry& UserFunctions::add(std::span<const DType> types, Driver& driver) {
  const std::lock_guard lock(mutex_);
  if (Entry* known = look_up(types)) return *known;
  std::vector<const UserFunction*> functions;
  for (UserFunction& function : make_user_functions(definition_, types)) {
    functions.push_back(unique(std::move(function)));
  }
  std::shared_ptr<Module> module = driver.build_module(source_of(functions));
  return entries_.add(std::vector(types.begin(), types.end()), std::move(functions),
                      std::move(module));
}

std::span<const UserFunction* const> UserFunctions::find(std::span<const DType> types,
                                                         Driver& driver, int device) {
  Entry* known = look_up(types);
  Entry& entry = known ? *known : add(types, driver);
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if (entry.compiles.load(std::memory_order_acquire) & bit) return entry.functions;
  if (entry.fails.load(std::memory_order_acquire) & bit) return {};
  try {
    entry.module->compile(device);
  } catch (const CompileError&) {  // the separate kernel says what is wrong, if anything is
    entry.fails.fetch_or(bit, std::memory_order_release);
    return {};
  }
  entry.compiles.fetch_or(bit, std::memory_order_release);
  return entry.functions;
}

std::vector<std::pair<std::vector<DType>, std::string>> UserFunctions::texts() const {
  std::vector<std::pair<std::vector<DType>, std::string>> texts;
  entries_.for_each([&](const Entry& entry) {
    if (entry.compiles.load(std::memory_order_acquire) == 0) return;
    std::string text;
    for (const UserFunction* function : entry.functions) {
      text += function->preamble + function->definition;
    }
    texts.emplace_back(entry.types, std::move(text));
  });
  std::reverse(texts.begin(), texts.end());
  return texts;
}

}  // namespace cupola
