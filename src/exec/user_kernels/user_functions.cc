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

}  // namespace

UserFunctions::Entry* UserFunctions::look_up(std::span<const DType> types,
                                             const Target& target) const {
  return entries_.find([&](const Entry& entry) {
    return entry.target == target && std::ranges::equal(entry.types, types);
  });
}

std::vector<const UserFunction*> UserFunctions::compiled(std::span<const DType> types,
                                                         Driver& driver, int device) const {
  std::vector<const UserFunction*> functions;
  for (UserFunction& function : make_user_functions(definition_, types)) {
    functions.push_back(unique(std::move(function)));
  }
  try {
    driver.compile_functions(functions, device);
  } catch (const CompileError&) {  // the separate kernel says what is wrong, if anything is
    functions.clear();
  }
  return functions;
}

std::span<const UserFunction* const> UserFunctions::find(std::span<const DType> types,
                                                         Driver& driver, int device) {
  const Target target{driver.platform(), driver.kernel_architecture(device)};
  if (const Entry* known = look_up(types, target)) return known->functions;
  const std::lock_guard lock(mutex_);
  if (const Entry* known = look_up(types, target)) return known->functions;
  return entries_
      .add(std::vector(types.begin(), types.end()), target, compiled(types, driver, device))
      .functions;
}

std::vector<std::pair<std::vector<DType>, std::string>> UserFunctions::texts() const {
  std::vector<std::pair<std::vector<DType>, std::string>> texts;
  entries_.for_each([&](const Entry& entry) {
    if (entry.functions.empty()) return;
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
