#pragma once
// What a program means: the statements one after the other, over vectors.

#include <cstdint>
#include <memory>
#include <vector>

#include "program.h"

namespace cupola::programs {

// The integers that uploads and lent memory begin with.
std::vector<std::int64_t> host_values(std::int64_t count, std::int64_t first, bool is_wide);

struct Memory {
  std::vector<std::int64_t> values;
  int id = 0;                 // in order of their making
  bool is_undefined = false;  // something failed that was writing it, or what it was made from
};

struct Variable {
  std::shared_ptr<Memory> memory;
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  std::int64_t count = 0;
  bool is_wide = true;  // int64, else int32
  int device = 0;
  bool exists() const { return memory != nullptr; }
};

class Oracle {
 public:
  explicit Oracle(const Program& program)
      : set_(program.has_set ? program.devices - 1 : -1),
        variables_(static_cast<std::size_t>(program.arrays)) {}

  // Whether the statement would do anything: its arrays are there and on one device.
  bool applies(const Statement& statement) const;
  void apply(const Statement& statement);
  // The statement failed on the way. Several devices may have done different parts of a write;
  // everywhere else nothing has changed.
  void fail(const Statement& statement);
  // Whether the elements mean anything.
  bool is_defined(int number) const { return !variable(number).memory->is_undefined; }
  const Variable& variable(int number) const {
    return variables_[static_cast<std::size_t>(number)];
  }
  std::vector<std::int64_t> values(int number) const;

 private:
  Variable& at(int number) { return variables_[static_cast<std::size_t>(number)]; }
  void store(int target, std::vector<std::int64_t> values, bool is_wide, int device);
  void make(const Statement& statement);
  void change(const Statement& statement);
  std::int64_t element(const Variable& variable, std::int64_t i) const;
  void write(const Variable& variable, std::int64_t i, std::int64_t value);

  int set_;  // the number of the device that is several; -1: none is
  std::vector<Variable> variables_;
  int next_memory_ = 0;
};

// Whether threads that run at once leave alone what others of them change.
bool is_orderly(const Program& program);

bool makes_array(Kind kind);
bool changes_array(Kind kind);
bool uses_two(Kind kind);
bool uses_none(Kind kind);  // no array but the target

}  // namespace cupola::programs
