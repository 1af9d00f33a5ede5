#pragma once
// Carries out statements with the library.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cupola/cupola.h"
#include "outcome.h"
#include "program.h"

namespace cupola::programs {

// The device that statements of the program mean by the number.
Device device_of(const Program& program, PlatformKind platform, std::int64_t number);

// What the threads of a program share.
struct Common {
  explicit Common(const Program& its_program)
      : program(its_program), arrays(static_cast<std::size_t>(its_program.arrays)) {}
  const Program& program;
  std::vector<Array> arrays;
  std::vector<Event> events{8};
  std::atomic<int> calls_asked{0};
  std::atomic<int> calls_made{0};
};

// One thread of a program; its streams are its own.
class Worker {
 public:
  Worker(PlatformKind platform, Common& common) : platform_(platform), common_(common) {}

  // Any kind of statement but fork.
  void execute(const Statement& s, Outcome& outcome);

 private:
  using Bytes = std::shared_ptr<std::vector<char>>;

  Array& array(int number) { return common_.arrays[static_cast<std::size_t>(number)]; }
  Device device(std::int64_t number) const { return device_of(common_.program, platform_, number); }
  bool applies(const Statement& s);
  void run(const Statement& s, Outcome& outcome);
  // Calls copy(bytes, options) with host memory that is used as the mode allows.
  template <typename Copy>
  void with_source(Source mode, const Bytes& bytes, const Copy& copy);
  Array upload(const Statement& s, std::int64_t count, bool is_wide, const Device& where);
  Array lend(const Statement& s);
  Array fill(const Statement& s);
  Array make(const Statement& s);
  void set_host(const Statement& s, const Array& a);
  void change(const Statement& s);
  void control(const Statement& s);
  const Stream& stream(std::int64_t device_number, std::int64_t number);
  void mark(const Statement& s, const Device& where);
  void call(const Device& where);

  const PlatformKind platform_;
  Common& common_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Bytes> borrowed_;
};

}  // namespace cupola::programs
