#pragma once
// Calls of users' kernels that wait, and become part of other kernels.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/containers/added_list.h"
#include "base/threads/mutex.h"
#include "codegen/user/user_function.h"
#include "driver/driver.h"

namespace cupola {

// The functions of one definition. Any thread may ask; entries are only ever added.
class UserFunctions {
 public:
  explicit UserFunctions(const UserDefinition& definition)
      : definition_(definition),
        may_fuse_(cupola::may_fuse(definition)),
        assigns_output_(cupola::assigns_output(definition)),
        finishing_inputs_(cupola::finishing_inputs(definition)) {}

  // As the functions of these names say of the definition; calls ask each time.
  bool may_fuse() const { return may_fuse_; }
  bool assigns_output() const { return assigns_output_; }
  std::span<const std::size_t> finishing_inputs() const { return finishing_inputs_; }
  // As make_user_functions() gives them. None: a body does not compile as a function, which is
  // found out by a compilation when types first occur on an architecture. Throws LibraryError
  // without the compiler. For may_fuse() only.
  std::span<const UserFunction* const> find(std::span<const DType> types, Driver& driver,
                                            int device);
  std::vector<std::pair<std::vector<DType>, std::string>> texts() const;

 private:
  struct Target {
    PlatformKind platform;
    int architecture;
    friend bool operator==(const Target&, const Target&) = default;
  };
  struct Entry {
    std::vector<DType> types;
    Target target;
    std::vector<const UserFunction*> functions;
  };
  Entry* look_up(std::span<const DType> types, const Target& target) const;
  // Those that compile together; none: they do not.
  std::vector<const UserFunction*> compiled(std::span<const DType> types, Driver& driver,
                                            int device) const;

  const UserDefinition& definition_;
  const bool may_fuse_, assigns_output_;
  const std::vector<std::size_t> finishing_inputs_;
  Mutex mutex_;  // of those who compile and add
  AddedList<Entry> entries_;
};

}  // namespace cupola
