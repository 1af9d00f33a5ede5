#pragma once
// The body of a user's elementwise kernel as a function of one element, for arguments of certain
// types, in a form that can stand in a kernel beside others (codegen/user/user_function.h makes
// it). Those that nodes have are unique by `key` and live as long as the process.

#include <string>
#include <vector>

#include "base/containers/hash.h"
#include "cupola/dtype.h"

namespace cupola {

struct UserFunction {
  Hash128 key;                         // of all the rest
  std::string name;                    // of the user's kernel
  std::vector<DType> inputs, outputs;  // of the elements
  std::string space;                   // the namespace of its text, with call(inputs, outputs&)
  std::string call;                    // the function's name in cupola_device
  std::string declaration;             // stands before its uses
  std::string preamble;                // for the whole text, once for all who have the same
  std::string definition;              // stands behind everything else
  bool has_complex = false;            // needs complex numbers beside what the types say
  bool is_short = false;               // a few instructions
  bool may_loop = false;               // it may not end for values that are no elements
  bool combines = false;               // two values to one, as a reduction does
};

}  // namespace cupola
