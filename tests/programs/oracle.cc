#include "oracle.h"

#include <algorithm>
#include <map>
#include <set>

namespace cupola::programs {
namespace {

std::int64_t wrapped(std::uint64_t value, bool is_wide) {
  return is_wide ? static_cast<std::int64_t>(value)
                 : static_cast<std::int64_t>(static_cast<std::int32_t>(value));
}

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

bool makes_array(Kind kind) { return kind < Kind::add_to; }
bool changes_array(Kind kind) { return kind >= Kind::add_to && kind <= Kind::set_host; }
bool uses_none(Kind kind) { return kind <= Kind::lend || kind >= Kind::mark; }
bool uses_two(Kind kind) {
  return kind == Kind::add || kind == Kind::multiply || kind == Kind::maximum ||
         kind == Kind::add_to || kind == Kind::set_from;
}

std::vector<std::int64_t> host_values(std::int64_t count, std::int64_t first, bool is_wide) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = wrapped(bits(first) + i * 0x9e3779b97f4a7c15U, is_wide);
  }
  return values;
}

bool Oracle::applies(const Statement& s) const {
  if (uses_none(s.kind)) return true;
  if (!variable(s.a).exists()) return false;
  if (!uses_two(s.kind)) return true;
  return variable(s.b).exists() && variable(s.a).device == variable(s.b).device;
}

std::int64_t Oracle::element(const Variable& variable, std::int64_t i) const {
  return variable.memory->values[static_cast<std::size_t>(variable.offset + i * variable.stride)];
}

void Oracle::write(const Variable& variable, std::int64_t i, std::int64_t value) {
  variable.memory->values[static_cast<std::size_t>(variable.offset + i * variable.stride)] =
      wrapped(bits(value), variable.is_wide);
}

std::vector<std::int64_t> Oracle::values(int number) const {
  const Variable& from = variable(number);
  std::vector<std::int64_t> result(static_cast<std::size_t>(from.count));
  for (std::int64_t i = 0; i < from.count; ++i) {
    result[static_cast<std::size_t>(i)] = element(from, i);
  }
  return result;
}

void Oracle::store(int target, std::vector<std::int64_t> values, bool is_wide, int device) {
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t& value : values) value = wrapped(bits(value), is_wide);
  auto memory = std::make_shared<Memory>(Memory{std::move(values), next_memory_++});
  at(target) = {std::move(memory), 0, 1, count, is_wide, device};
}

void Oracle::apply(const Statement& s) {
  if (!applies(s)) return;
  const bool is_undefined =
      (!uses_none(s.kind) && !is_defined(s.a)) || (uses_two(s.kind) && !is_defined(s.b));
  if (makes_array(s.kind)) make(s);
  if (changes_array(s.kind)) change(s);
  if (is_undefined && makes_array(s.kind)) at(s.target).memory->is_undefined = true;
  if (is_undefined && changes_array(s.kind)) at(s.a).memory->is_undefined = true;
  if (s.kind == Kind::drop) at(s.a) = {};
}

void Oracle::fail(const Statement& s) {
  if (!applies(s) || !changes_array(s.kind)) return;
  if (variable(s.a).device == set_) at(s.a).memory->is_undefined = true;
}

void Oracle::make(const Statement& s) {
  if (s.kind <= Kind::fill) {
    const auto count = static_cast<std::size_t>(s.n);
    return store(s.target, std::vector<std::int64_t>(count, s.value), s.step == 1, s.b);
  }
  if (s.kind <= Kind::lend) {
    return store(s.target, host_values(s.n, s.value, s.step == 1), s.step == 1, s.b);
  }
  const Variable a = variable(s.a);
  std::vector<std::int64_t> result = values(s.a);
  bool is_wide = a.is_wide;
  int device = a.device;
  switch (s.kind) {
    case Kind::view: {
      const std::int64_t first = std::min(s.n, a.count);
      const std::int64_t count = (a.count - first + s.step - 1) / s.step;
      at(s.target) = {a.memory, a.offset + first * a.stride, a.stride * s.step, count, a.is_wide,
                      a.device};
      return;
    }
    case Kind::reverse:
      at(s.target) = {a.memory, a.offset + (a.count - 1) * a.stride, -a.stride, a.count, a.is_wide,
                      a.device};
      return;
    case Kind::add:
    case Kind::multiply:
    case Kind::maximum: {
      const std::vector<std::int64_t> other = values(s.b);
      result.resize(std::min(result.size(), other.size()));
      for (std::size_t i = 0; i < result.size(); ++i) {
        const std::uint64_t x = bits(result[i]);
        const std::uint64_t y = bits(other[i]);
        result[i] = s.kind == Kind::add        ? static_cast<std::int64_t>(x + y)
                    : s.kind == Kind::multiply ? static_cast<std::int64_t>(x * y)
                                               : std::max(result[i], other[i]);
      }
      is_wide = a.is_wide || variable(s.b).is_wide;
      break;
    }
    case Kind::subtract:
      for (std::int64_t& x : result) x = static_cast<std::int64_t>(bits(x) - bits(s.value));
      break;
    case Kind::cast:
      is_wide = !a.is_wide;
      break;
    case Kind::select:
      std::erase_if(result, [&](std::int64_t x) { return x <= s.value; });
      break;
    case Kind::sum_chosen:
    case Kind::sum:
    case Kind::running: {
      if (s.kind == Kind::sum_chosen) {
        std::erase_if(result, [&](std::int64_t x) { return x <= s.value; });
      }
      std::uint64_t total = 0;
      for (std::int64_t& x : result) x = static_cast<std::int64_t>(total += bits(x));
      if (s.kind != Kind::running) result = {static_cast<std::int64_t>(total)};
      is_wide = true;
      break;
    }
    case Kind::gather: {
      const std::vector<std::int64_t> from = result;
      result.resize(from.empty() ? 0 : static_cast<std::size_t>(s.n));
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = from[from.size() - 1 - i % from.size()];
      }
      break;
    }
    case Kind::roll:
      if (a.count > 0) {
        const std::int64_t first = ((-s.n) % a.count + a.count) % a.count;
        std::rotate(result.begin(), result.begin() + first, result.end());
      }
      break;
    case Kind::move:
      if (device == static_cast<int>(s.n)) {
        at(s.target) = a;  // the array itself
        return;
      }
      device = static_cast<int>(s.n);
      break;
    default:
      break;
  }
  store(s.target, std::move(result), is_wide, device);
}

void Oracle::change(const Statement& s) {
  const Variable a = variable(s.a);
  if (s.kind == Kind::set_value) {
    for (std::int64_t i = s.n; i < a.count; ++i) write(a, i, s.value);
    return;
  }
  if (s.kind == Kind::add_chosen) {
    for (std::int64_t i = 0; i < a.count; ++i) {
      const std::int64_t x = element(a, i);
      if (x > s.value) write(a, i, static_cast<std::int64_t>(bits(x) + bits(s.n)));
    }
    return;
  }
  const std::vector<std::int64_t> other =
      s.kind == Kind::set_host ? host_values(a.count, s.value, a.is_wide) : values(s.b);
  const std::int64_t count = std::min(a.count, static_cast<std::int64_t>(other.size()));
  const std::vector<std::int64_t> old = values(s.a);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t sum = bits(old[at]) + bits(other[at]);
    write(a, i, s.kind == Kind::add_to ? static_cast<std::int64_t>(sum) : other[at]);
  }
}

namespace {

// What the threads of a section touched so far.
struct Touched {
  std::map<int, std::set<int>> variables;  // number -> threads that named it
  std::map<int, std::set<int>> changed_variables;
  std::map<int, std::set<int>> memory;  // id -> threads
  std::map<int, std::set<int>> changed_memory;

  static bool clash(const std::map<int, std::set<int>>& all,
                    const std::map<int, std::set<int>>& changed) {
    return std::any_of(changed.begin(), changed.end(), [&](const auto& entry) {
      return entry.second.size() > 1 || all.at(entry.first).size() > 1;
    });
  }
  void variable(int number, int thread, bool changes) {
    variables[number].insert(thread);
    if (changes) changed_variables[number].insert(thread);
  }
  void memory_of(const Variable& variable, int thread, bool changes) {
    if (!variable.exists()) return;
    memory[variable.memory->id].insert(thread);
    if (changes) changed_memory[variable.memory->id].insert(thread);
  }
  bool clashes() const {
    return clash(variables, changed_variables) || clash(memory, changed_memory);
  }
};

}  // namespace

bool is_orderly(const Program& program) {
  Oracle oracle(program);
  Touched touched;
  int section = 0;
  for (const Statement& s : program.statements) {
    if (s.section != section) touched = {};
    section = s.section;
    if (section != 0) {
      if (!uses_none(s.kind)) {
        touched.variable(s.a, s.thread, s.kind == Kind::drop);
        touched.memory_of(oracle.variable(s.a), s.thread, changes_array(s.kind));
      }
      if (uses_two(s.kind)) {
        touched.variable(s.b, s.thread, false);
        touched.memory_of(oracle.variable(s.b), s.thread, false);
      }
      if (makes_array(s.kind)) touched.variable(s.target, s.thread, true);
      if (touched.clashes()) return false;
    }
    oracle.apply(s);
  }
  return true;
}

}  // namespace cupola::programs
