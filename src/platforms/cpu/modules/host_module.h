#pragma once
// Modules of C++ text for the CPU's own compiler (ModuleSource::Backend::host).

#include <memory>

#include "driver/module.h"

namespace cupola::cpu {

std::shared_ptr<Module> make_host_module(const ModuleSource& source);

}  // namespace cupola::cpu
