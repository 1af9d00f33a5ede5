#include "program.h"

#include <fmt/format.h>

namespace cupola::programs {
namespace {

const char* name_of(Source source) {
  switch (source) {
    case Source::snapshot:
      return "then it changes";
    case Source::at_once:
      return "not blocking, then it changes";
    case Source::keepalive:
      return "kept alive";
    case Source::borrow:
      return "borrowed";
    case Source::waiting:
      return "blocking, then it changes";
  }
  return "";
}

std::string assignment(const Statement& s) {
  switch (s.kind) {
    case Kind::full:
      return fmt::format("a{} = full({}, {}, device {})", s.target, s.n, s.value, s.b);
    case Kind::fill:
      return fmt::format("a{} = empty({}, device {}), filled with {} on stream {} there", s.target,
                         s.n, s.b, s.value, s.a);
    case Kind::upload:
      return fmt::format("a{} = from_host({} elements from {}, device {}, {})", s.target, s.n,
                         s.value, s.b, name_of(s.source));
    case Kind::lend:
      return fmt::format("a{} = lent host memory, {} elements from {}, device {}", s.target, s.n,
                         s.value, s.b);
    case Kind::add:
      return fmt::format("a{} = a{} + a{}", s.target, s.a, s.b);
    case Kind::multiply:
      return fmt::format("a{} = a{} * a{}", s.target, s.a, s.b);
    case Kind::subtract:
      return fmt::format("a{} = a{} - {}", s.target, s.a, s.value);
    case Kind::maximum:
      return fmt::format("a{} = maximum(a{}, a{})", s.target, s.a, s.b);
    case Kind::cast:
      return fmt::format("a{} = a{} as the other integer type", s.target, s.a);
    case Kind::view:
      return fmt::format("a{} = a{}[{}::{}]", s.target, s.a, s.n, s.step);
    case Kind::reverse:
      return fmt::format("a{} = a{}[::-1]", s.target, s.a);
    case Kind::sum:
      return fmt::format("a{} = sum(a{})", s.target, s.a);
    case Kind::running:
      return fmt::format("a{} = cumsum(a{})", s.target, s.a);
    case Kind::select:
      return fmt::format("a{} = a{}[a{} > {}]", s.target, s.a, s.a, s.value);
    case Kind::sum_chosen:
      return fmt::format("a{} = sum(a{}[a{} > {}])", s.target, s.a, s.a, s.value);
    case Kind::gather:
      return fmt::format("a{} = take(a{}, {} indices)", s.target, s.a, s.n);
    case Kind::roll:
      return fmt::format("a{} = roll(a{}, {})", s.target, s.a, s.n);
    case Kind::move:
      return fmt::format("a{} = a{} to device {}", s.target, s.a, s.n);
    default:
      return "";
  }
}

std::string action(const Statement& s) {
  switch (s.kind) {
    case Kind::add_to:
      return fmt::format("a{} += a{}", s.a, s.b);
    case Kind::add_chosen:
      return fmt::format("a{}[a{} > {}] += {}", s.a, s.a, s.value, s.n);
    case Kind::set_value:
      return fmt::format("a{}[{}:] = {}", s.a, s.n, s.value);
    case Kind::set_from:
      return fmt::format("a{}[:] = a{}", s.a, s.b);
    case Kind::set_host:
      return fmt::format("a{}[:] = host memory from {}, {}", s.a, s.value, name_of(s.source));
    case Kind::read:
      return fmt::format("read a{}", s.a);
    case Kind::receive:
      return fmt::format("receive a{}", s.a);
    case Kind::mark:
      return fmt::format("record event {} on own stream of device {}", s.value, s.n);
    case Kind::await_mark:
      return fmt::format("own stream of device {} waits for event {}", s.n, s.value);
    case Kind::call:
      return fmt::format("host function on own stream of device {}", s.n);
    case Kind::drop:
      return fmt::format("drop a{}", s.a);
    case Kind::use_stream:
      return fmt::format("use stream {} of device {}", s.value, s.n);
    case Kind::wait_all:
      return fmt::format("synchronize device {}", s.n);
    case Kind::wait_own:
      return fmt::format("synchronize own stream of device {}", s.n);
    case Kind::trim:
      return fmt::format("release cached memory of device {}", s.n);
    case Kind::fork:
      return fmt::format("fork, and work from {} on device {} in the child", s.value, s.n);
    default:
      return assignment(s);
  }
}

}  // namespace

std::string to_text(const Statement& statement) {
  std::string where = fmt::format("thread {}", statement.thread);
  if (statement.section != 0) where += fmt::format(", at once with section {}", statement.section);
  return fmt::format("{:<60}  # {}", action(statement), where);
}

std::string to_text(const Program& program) {
  std::string text =
      fmt::format("# program {}: {} threads, {} devices{}\n", program.seed, program.threads,
                  program.devices, program.has_set ? ", the last is all others" : "");
  for (const Statement& statement : program.statements) text += to_text(statement) + "\n";
  return text;
}

}  // namespace cupola::programs
