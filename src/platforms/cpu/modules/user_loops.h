#pragma once
// Users' functions as loops, compiled by the compiler of this machine.

#include <cstdint>
#include <span>

#include "codegen/plan.h"
#include "platforms/cpu/interpreter/loops.h"

namespace cupola::cpu {

struct UserLoops {
  // One is null: outputs[r][i] = result r of inputs[0][i], ...; outputs may be inputs.
  LoopFunction one = nullptr;  // of a function with one output
  void (*several)(const void* const* inputs, void* const* outputs, std::int64_t count) = nullptr;
  ReduceLoops reduce{};  // of a function that combines: all but fold and scan
};

// Compiles those that are not known yet, together. Throws as load_host_code().
void load_user_loops(std::span<const UserFunction* const> functions);
// Never destroyed.
const UserLoops& user_loops(const UserFunction& function);

}  // namespace cupola::cpu
