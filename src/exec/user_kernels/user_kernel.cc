#include "exec/user_kernels/user_kernel.h"

#include <algorithm>

#include "driver/driver.h"

namespace cupola {
namespace {

bool chooses_standard(const std::string& option) {
  return option.starts_with("-std=") || option.starts_with("--std=");
}

ModuleSource source_of(const UserDefinition& definition, UserText text, UserTarget target) {
  ModuleSource source;
  source.prelude = std::move(text.prelude);
  source.text = std::move(text.text);
  source.backend =
      target == UserTarget::host ? ModuleSource::Backend::host : ModuleSource::Backend::nvrtc;
  // The prelude needs C++20, with which bodies for older standards compile as well.
  for (const std::string& option : definition.options) {
    if (!chooses_standard(option)) source.options.push_back(option);
  }
  source.options.push_back("--std=c++20");
  // What is computed by itself has the bits that it has as a part of other kernels.
  const bool is_rounded = target == UserTarget::cuda && definition.options.empty();
  if (is_rounded && may_fuse(definition)) source.options.push_back("--fmad=false");
  return source;
}

}  // namespace

UserProgram::UserProgram(const UserDefinition& definition, const UserVariant& variant,
                         Driver& driver) {
  const UserTarget target = driver.compiles_plans() ? UserTarget::cuda : UserTarget::host;
  UserText text = user_kernel_text(definition, variant, target);
  text_ = text.text;
  module_ = driver.build_module(source_of(definition, std::move(text), target));
  const std::string entry = user_entry(definition, target);
  function_ = module_->function(entry);
  if (definition.is_reduction) finish_ = module_->function(entry + std::string(kFinishSuffix));
}

void UserProgram::load(int device) {
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if (loaded_.load(std::memory_order_acquire) & bit) return;
  module_->compile(device);
  function_->parameter_sizes(device);
  if (finish_) finish_->parameter_sizes(device);
  loaded_.fetch_or(bit, std::memory_order_release);
}

UserKernelState::Entry* UserKernelState::look_up(const std::string& key) const {
  return entries_.find([&](const Entry& entry) { return entry.key == key; });
}

UserProgram& UserKernelState::find(const UserVariant& variant, Driver& driver) {
  std::string key = variant.key();
  key += static_cast<char>(driver.platform());
  if (Entry* known = look_up(key)) return known->program;
  const std::lock_guard lock(mutex_);
  if (Entry* known = look_up(key)) return known->program;
  return entries_.add(std::move(key), variant, definition_, driver).program;
}

std::vector<std::pair<std::vector<DType>, std::string>> UserKernelState::texts() const {
  std::vector<std::pair<std::vector<DType>, std::string>> texts;
  entries_.for_each([&](const Entry& entry) {
    std::vector<DType> types;
    for (const UserArgument& argument : entry.variant.arguments) types.push_back(argument.dtype);
    texts.emplace_back(std::move(types), entry.program.text());
  });
  std::reverse(texts.begin(), texts.end());
  for (auto& [types, text] : functions_.texts()) {
    const bool is_known = std::any_of(texts.begin(), texts.end(),
                                      [&](const auto& each) { return each.first == types; });
    if (!is_known) texts.emplace_back(std::move(types), std::move(text));
  }
  return texts;
}

}  // namespace cupola
