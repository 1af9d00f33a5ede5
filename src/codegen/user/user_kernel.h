#pragma once
// Elementwise and reduction kernels whose bodies are C++ text of the user: what was declared, which
// types a call gives it, and the text that is compiled. Nothing here is of one launch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cupola/dtype.h"

namespace cupola {

// "raw T x": the type is fixed, or a letter that the arguments decide.
struct UserParameter {
  std::string name;
  std::string type;            // as written
  std::optional<DType> dtype;  // of a fixed type
  bool is_raw = false;         // indexed by the body itself
  bool is_const = false;       // inputs, unless "_non_const" is written before the type
  bool is_template() const { return !dtype; }
};

// The parts between commas. Throws ValueError with the part for an unknown type or word, a missing
// or repeated name, and a name that the kernel's text needs itself.
std::vector<UserParameter> parse_user_parameters(std::string_view list, bool are_inputs);

// The element type of a name as it may stand in a parameter list ("float32", "float", "longlong");
// nothing where it is unknown.
std::optional<DType> find_user_type(std::string_view name);
// In a body: "long long" for int64, "complex<float>" for complex64.
std::string_view user_type_text(DType dtype);

struct UserDefinition {
  std::string name;
  std::vector<UserParameter> inputs, outputs;
  std::string preamble;
  std::vector<std::string> options;  // of the compiler
  bool reduce_dims = true;           // neighbouring dimensions are one where they can be
  // Elementwise.
  std::string operation, loop_prep, after_loop;
  // Reductions.
  bool is_reduction = false;
  std::string map, reduce, post_map;
  std::optional<std::string> identity;
  std::string reduce_type;  // empty: the first output's

  std::size_t input_count() const { return inputs.size(); }
  std::size_t count() const { return inputs.size() + outputs.size(); }
  const UserParameter& parameter(std::size_t i) const {
    return i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
  }
  // Throws ValueError for names that are used twice, or no C++ name for the kernel.
  void check() const;
};

// The type that an argument brings.
struct UserArgumentType {
  std::optional<DType> dtype;    // none: it is not given (an output)
  bool is_array = false;         // else a scalar, which adapts to what arrays decide
  std::optional<WeakKind> weak;  // of a Python number
};

// The type of each parameter. Throws TypeError where arrays differ from a fixed type or from each
// other, and where nothing decides a letter.
std::vector<DType> resolve_user_types(const UserDefinition& definition,
                                      std::span<const UserArgumentType> arguments);

// How an argument is passed.
enum class UserForm : std::uint8_t {
  value,       // a scalar
  contiguous,  // the element of number i
  strided,     // an element by coordinates
  raw,
};
struct UserArgument {
  DType dtype = DType::bool_;
  UserForm form = UserForm::value;
  std::uint8_t rank = 0;       // raw
  bool is_contiguous = false;  // raw
  friend bool operator==(const UserArgument&, const UserArgument&) = default;
};

// What decides the text besides the definition.
struct UserVariant {
  std::vector<UserArgument> arguments;
  std::uint8_t rank = 1;          // of the iteration space; of the kept dimensions in a reduction
  std::uint8_t reduced_rank = 0;  // reductions
  bool is_wide = false;           // coordinates need 64-bit arithmetic
  friend bool operator==(const UserVariant&, const UserVariant&) = default;
  // Equal exactly for equal variants.
  std::string key() const;
};

enum class UserTarget : std::uint8_t { cuda, host };

struct UserText {
  std::string prelude;  // in front of the text; lines are counted from the text's first
  std::string text;
};
UserText user_kernel_text(const UserDefinition& definition, const UserVariant& variant,
                          UserTarget target);

// A launch passes words of 64 bits. The first ones:
//   elementwise: elements
//   reduction:   results, elements of each, tiles, elements of a tile, lanes (on the host:
//                results of a block), lanes go fastest (0 or 1), address of the scratch
// then the extents (kept, then reduced), then for each argument
//   value       the bytes, in two words
//   contiguous  the address
//   strided     the address, and a stride in elements for each dimension
//   raw         the address, the number of elements, extents, and strides in bytes
inline constexpr int kElementwiseWords = 1;
inline constexpr int kReductionWords = 7;
// Of each argument, and behind the last one.
std::vector<int> user_word_places(const UserDefinition& definition, const UserVariant& variant);

// Threads of a block of a reduction; elements of one block of a host kernel.
inline constexpr int kUserReductionThreads = 256;
inline constexpr std::int64_t kHostBlock = 8192;
// Results of a host reduction that are computed side by side, at most.
inline constexpr std::int64_t kHostNeighbours = 64;
// The size of a partial result, at most, where its type is the user's own.
inline constexpr std::int64_t kMaxPartialBytes = 64;
std::int64_t user_partial_bytes(const UserDefinition& definition, const UserVariant& variant);
// The name of the function in the text. A reduction's has a second, with this behind the name,
// which combines tiles.
std::string user_entry(const UserDefinition& definition, UserTarget target);
inline constexpr std::string_view kFinishSuffix = "_finish";

}  // namespace cupola
