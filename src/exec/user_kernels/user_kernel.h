#pragma once
// A user's kernel: its compiled variants, and one call of it on the way to the launch.

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/containers/added_list.h"
#include "base/threads/mutex.h"
#include "codegen/user/user_kernel.h"
#include "cupola/user_kernel.h"
#include "driver/module.h"
#include "exec/user_kernels/user_functions.h"
#include "runtime/stream.h"

namespace cupola {

// A variant for one platform. It is compiled when first launched, once however many threads ask.
class UserProgram {
 public:
  UserProgram(const UserDefinition& definition, const UserVariant& variant, Driver& driver);
  const std::string& text() const { return text_; }
  // Compiles and loads where that is not done yet.
  void load(int device);
  ModuleFunction& function() const { return *function_; }
  ModuleFunction& finish() const { return *finish_; }  // reductions only

 private:
  std::string text_;
  std::shared_ptr<Module> module_;
  std::shared_ptr<ModuleFunction> function_, finish_;
  std::atomic<std::uint64_t> loaded_{0};  // a bit for each of the first 64 devices
};

class UserKernelState {
 public:
  explicit UserKernelState(UserDefinition definition)
      : definition_(std::move(definition)), functions_(definition_) {}
  const UserDefinition& definition() const { return definition_; }
  UserProgram& find(const UserVariant& variant, Driver& driver);
  UserFunctions& functions() { return functions_; }
  std::vector<std::pair<std::vector<DType>, std::string>> texts() const;

 private:
  struct Entry {
    Entry(std::string text, const UserVariant& of, const UserDefinition& definition, Driver& driver)
        : key(std::move(text)), variant(of), program(definition, of, driver) {}
    std::string key;
    UserVariant variant;
    UserProgram program;
  };
  Entry* look_up(const std::string& key) const;

  const UserDefinition definition_;
  UserFunctions functions_;
  Mutex mutex_;  // of those who add
  AddedList<Entry> entries_;
};

// The arguments of one call, in the order of the parameters; outputs that are not given are made.
struct UserCall {
  std::vector<Operand> operands;  // a scalar false where an output is not given yet
  std::size_t given = 0;          // operands that are the caller's
  Device device;
  std::vector<DType> types;

  bool is_array(std::size_t i) const { return operands[i].is_array(); }
  const Array& array(std::size_t i) const { return operands[i].array(); }
};
// Counts, devices and types are checked; arrays may be pending.
UserCall make_user_call(const UserDefinition& definition, std::span<const Operand> arguments,
                        const std::optional<Stream>& stream);
void store_user_inputs(const UserCall& call);
// The functions for the call, which is on the current stream of its device; none where it needs a
// kernel of its own.
std::span<const UserFunction* const> functions_for(UserFunctions& functions, const UserCall& call);
// Argument number i as an array, which may be pending.
Array user_input(const UserCall& call, std::size_t i);
std::vector<Array> user_inputs(const UserDefinition& definition, const UserCall& call);
// What a call returns whose results are row-major, of the shape, and may wait: with a stream they
// are computed at the call, and so is an output that is given.
std::vector<Array> return_user_results(const UserDefinition& definition, UserCall& call,
                                       const std::optional<Stream>& stream, const Dims& shape,
                                       std::vector<Array> results);
// `value` as a value of the parameter's type. Throws TypeError where that changes it.
Scalar user_value(const Scalar& value, DType dtype);
std::shared_ptr<StreamState> user_stream(const UserCall& call, const std::optional<Stream>& stream);
// The common shape of the arrays that are not raw, up to parameter number `end`; nothing where
// there are none.
std::optional<Dims> user_shape(const UserDefinition& definition, const UserCall& call,
                               std::size_t end);
// Checks the outputs that are given, makes the others, and returns all.
std::vector<Array> make_user_outputs(const UserDefinition& definition, UserCall& call,
                                     const Dims& shape);
// Copies inputs that share memory with an output other than element by element.
void separate_user_inputs(const UserDefinition& definition, UserCall& call);

// The extents and each array's strides, with dimensions of extent 1 dropped and neighbours merged
// that all arrays walk as one.
struct UserSpace {
  Dims extents;
  std::vector<Dims> strides;  // empty for what does not move through the space
  void simplify();
};

// The words of a launch; places as user_word_places().
class UserWords {
 public:
  void add(std::int64_t word) { words_.push_back(word); }
  void add(const Dims& dims) { words_.insert(words_.end(), dims.begin(), dims.end()); }
  void add(const UserWords& others) {
    words_.insert(words_.end(), others.words_.begin(), others.words_.end());
  }
  void add_address(const void* pointer) { add(reinterpret_cast<std::intptr_t>(pointer)); }
  void add_value(const Scalar& value, DType dtype);
  void add_raw(const Array& array);
  // Throws ValueError when a kernel cannot have so many.
  const void* data() const;

 private:
  std::vector<std::int64_t> words_;
};
// Adds a number or a raw array. False: the argument goes element by element.
bool add_whole_argument(const UserCall& call, const UserDefinition& definition, std::size_t i,
                        UserVariant& variant, UserWords& words);
void launch_user_program(UserProgram& program, const UserCall& call,
                         const UserDefinition& definition,
                         const std::shared_ptr<StreamState>& stream,
                         const std::function<void()>& launch, const Array& scratch = {});

}  // namespace cupola
