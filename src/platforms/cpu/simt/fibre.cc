#include "platforms/cpu/simt/fibre.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace cupola::cpu {
namespace {

using cupola_simt::kStackBytes;

constexpr std::size_t kStacksAtOnce = 32;
constexpr std::uint64_t kUntouched = 0x5CA1AB1EF00DFEED;

std::uint64_t* bottom_of(const Fibre& fibre) {
  const auto address = reinterpret_cast<std::uintptr_t>(fibre.thread);
  return reinterpret_cast<std::uint64_t*>(address & ~(std::uintptr_t{kStackBytes} - 1));
}

// Below the page of the record, at one of several distances, as records are.
std::uintptr_t first_stack_pointer(const Fibre& fibre) {
  const auto top = reinterpret_cast<std::uintptr_t>(bottom_of(fibre)) + kStackBytes;
  const std::uintptr_t place = top - reinterpret_cast<std::uintptr_t>(fibre.thread);
  return top - cupola_simt::kTopBytes - place;
}

}  // namespace

#if defined(__x86_64__)

asm(R"(
  .pushsection .text
  .p2align 4
  .type cupola_switch_stack, @function
cupola_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size cupola_switch_stack, .-cupola_switch_stack
  .type cupola_begin_stack, @function
cupola_begin_stack:
  movq %r12, %rdi
  xorl %ebp, %ebp
  jmp *%rbx
  .size cupola_begin_stack, .-cupola_begin_stack
  .popsection
)");
extern "C" void cupola_switch_stack(void** from, void* to);
extern "C" void cupola_begin_stack();

void switch_stack(void** from, void* to) { cupola_switch_stack(from, to); }

namespace {

// What switch_stack() takes from the stack: six registers, then where to go on.
void* prepared(Fibre& fibre, FibreStacks::Entry entry) {
  auto* const words = reinterpret_cast<void**>(first_stack_pointer(fibre)) - 8;
  for (int i = 0; i < 8; ++i) words[i] = nullptr;
  words[3] = &fibre;                          // r12
  words[4] = reinterpret_cast<void*>(entry);  // rbx
  words[6] = reinterpret_cast<void*>(&cupola_begin_stack);
  return words;
}

}  // namespace

#else

namespace {

struct Context {
  ucontext_t own;
};

void begin_context(unsigned int entry_high, unsigned int entry_low, unsigned int fibre_high,
                   unsigned int fibre_low) {
  const auto joined = [](unsigned int high, unsigned int low) {
    return static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low);
  };
  reinterpret_cast<FibreStacks::Entry>(joined(entry_high, entry_low))(
      reinterpret_cast<Fibre*>(joined(fibre_high, fibre_low)));
}

void* prepared(Fibre& fibre, FibreStacks::Entry entry) {
  const std::uintptr_t end = first_stack_pointer(fibre) - sizeof(Context) - 64;
  auto* const context = new (reinterpret_cast<void*>(end & ~std::uintptr_t{63})) Context;
  getcontext(&context->own);
  context->own.uc_stack.ss_sp = bottom_of(fibre);
  context->own.uc_stack.ss_size = reinterpret_cast<std::uintptr_t>(context) -
                                  reinterpret_cast<std::uintptr_t>(bottom_of(fibre));
  context->own.uc_link = nullptr;
  const auto code = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(entry));
  const auto object = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&fibre));
  makecontext(&context->own, reinterpret_cast<void (*)()>(&begin_context), 4,
              static_cast<unsigned int>(code >> 32), static_cast<unsigned int>(code),
              static_cast<unsigned int>(object >> 32), static_cast<unsigned int>(object));
  return context;
}

}  // namespace

void switch_stack(void** from, void* to) {
  Context here;
  *from = &here;
  swapcontext(&here.own, &static_cast<Context*>(to)->own);
}

#endif

FibreStacks::~FibreStacks() {
  for (void* piece : pieces_) munmap(piece, (kStacksAtOnce + 1) * kStackBytes);
}

void FibreStacks::add() {
  // Pages of it exist once they are written to.
  void* const piece = mmap(nullptr, (kStacksAtOnce + 1) * kStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (piece == MAP_FAILED) throw std::bad_alloc();
  pieces_.push_back(piece);
  const auto first = (reinterpret_cast<std::uintptr_t>(piece) | (kStackBytes - 1)) + 1;
  for (std::size_t i = 0; i < kStacksAtOnce; ++i) {
    auto fibre = std::make_unique<Fibre>();
    fibre->thread = cupola_simt::thread_of(reinterpret_cast<void*>(first + i * kStackBytes));
    *bottom_of(*fibre) = kUntouched;
    fibres_.push_back(std::move(fibre));
  }
}

Fibre& FibreStacks::begin(std::size_t i, Entry entry) {
  while (i >= fibres_.size()) add();
  Fibre& fibre = *fibres_[i];
  *bottom_of(fibre) = kUntouched;
  fibre.at = prepared(fibre, entry);
  return fibre;
}

bool FibreStacks::has_overflowed(std::size_t i) const {
  return *bottom_of(*fibres_[i]) != kUntouched;
}

}  // namespace cupola::cpu
