#pragma once
// Calls of users' kernels that wait, and become part of other kernels.

#include <atomic>
#include <memory>
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
      : definition_(definition), may_fuse_(cupola::may_fuse(definition)) {}

  bool may_fuse() const { return may_fuse_; }
  // As make_user_functions() gives them. None: a body does not compile as a function, which is
  // found out by a compilation when types first occur on a device. Throws LibraryError without the
  // compiler. For may_fuse() only.
  std::span<const UserFunction* const> find(std::span<const DType> types, Driver& driver,
                                            int device);
  std::vector<std::pair<std::vector<DType>, std::string>> texts() const;

 private:
  struct Entry {
    std::vector<DType> types;
    std::vector<const UserFunction*> functions;
    std::shared_ptr<Module> module;                    // of the functions alone
    std::atomic<std::uint64_t> compiles{0}, fails{0};  // a bit for each of the first 64 devices
  };
  Entry* look_up(std::span<const DType> types) const;
  Entry& add(std::span<const DType> types, Driver& driver);

  const UserDefinition& definition_;
  const bool may_fuse_;
  Mutex mutex_;  // of those who add
  AddedList<Entry> entries_;
};

}  // namespace cupola
