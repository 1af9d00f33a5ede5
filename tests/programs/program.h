#pragma once
// Random asynchronous programs: lists of statements over numbered arrays, run by several threads
// on several streams and devices. Any subset of a program's statements is a program: what needs an
// array that is not there does nothing.

#include <cstdint>
#include <string>
#include <vector>

namespace cupola::programs {

enum class Kind : std::uint8_t {
  full,        // target = n elements of `value`
  fill,        // the same, in memory that stream number a writes, where another may be current
  upload,      // target = n elements from host memory, by a source mode
  lend,        // target = host memory of others, which is overwritten when its owner goes
  add,         // target = a + b, of as many elements as both have
  multiply,    // target = a * b
  subtract,    // target = a - value
  maximum,     // target = max(a, b)
  cast,        // target = a as the other integer type
  view,        // target = a[n::step], shares memory
  reverse,     // target = a[::-1], shares memory
  sum,         // target = sum of a, one element
  running,     // target = cumulative sum of a
  select,      // target = a[a > value]
  sum_chosen,  // target = sum of a[a > value], one element
  gather,      // target = elements of a, from the last to the first, and again
  roll,        // target = a, its elements moved by n, those that leave at the other end
  move,        // target = a on device n
  add_to,      // a += b
  add_chosen,  // a[a > value] += n
  set_value,   // a[n:] = value
  set_from,    // a[:] = b
  set_host,    // a[:] = host memory, by a source mode
  read,        // a is compared
  receive,     // a is copied to host memory without waiting, which is compared at the end
  drop,        // a is forgotten
  mark,        // event number `value` is recorded on the thread's current stream on device n
  await_mark,  // that stream waits for the event
  call,        // a host function runs in order of that stream
  use_stream,  // the thread's current stream on device n is its number `value`
  wait_all,    // the thread waits for device n
  wait_own,    // the thread waits for its current stream on device n
  trim,        // cached memory of device n goes back to the platform
  fork,        // a forked child checks its arrays, works on device n from `value`, and ends
};

// How host memory is given.
enum class Source : std::uint8_t {
  snapshot,   // it changes and goes right after the call
  at_once,    // the same, and the call does not wait for its stream
  keepalive,  // given away: it changes when its owner goes
  borrow,     // lent until the end
  waiting,    // as snapshot, and everything is done when the call returns
};

struct Statement {
  Kind kind{};
  int thread = 0;
  // Statements of the same section other than 0, one after the other, run at the same time as far
  // as they belong to different threads.
  int section = 0;
  int target = 0;
  int a = 0;
  int b = 0;
  std::int64_t n = 0;
  std::int64_t step = 1;
  std::int64_t value = 0;
  Source source = Source::snapshot;
};

struct Program {
  std::uint64_t seed = 0;
  int threads = 1;
  int devices = 1;       // numbers of devices are below
  bool has_set = false;  // the last number means all the others as one
  int arrays = 1;        // numbers of arrays are below
  std::vector<Statement> statements;
};

struct Limits {
  int most_statements = 40;
  int devices = 2;
  bool with_set = false;  // of all devices of a program that has several
  bool in_threads = true;
};

// The same program for the same arguments, everywhere.
Program generate(std::uint64_t seed, const Limits& limits);

// One statement a line, as the program would be written.
std::string to_text(const Statement& statement);
std::string to_text(const Program& program);

}  // namespace cupola::programs
