// What a kernel's thread and the library know of each other on the CPU. Compiled into both.
#ifndef CUPOLA_DEVICE_SIMT_THREAD
#define CUPOLA_DEVICE_SIMT_THREAD

namespace cupola_simt {

// A thread runs on a stack of its own, aligned to its size. The page at its top has the thread's
// record, at one of several places so that the records of a block do not share a cache set.
constexpr unsigned long kStackBytes = 256 * 1024;
constexpr unsigned long kPlaces = 12, kPlaceBytes = 256, kTopBytes = 4096;
constexpr unsigned int kWarp = 32;

struct Extents {
  unsigned int x, y, z;
};

enum class BlockOp : int { sync, count, all, any };
enum class WarpOp : int {
  sync,
  shuffle,  // the value of lane `source`
  ballot,   // the lanes whose value is not 0
  match,    // the lanes with the same value
  sum,      // of what the lanes of the mask have, modulo 2^64
  least,    // of signed values
  greatest,
  least_unsigned,
  greatest_unsigned,
  bits_and,
  bits_or,
  bits_xor,
  active  // the lanes that are at the same place
};

enum class Access : int { read, write, atomic };

struct Thread;

// Of the library. Each gives what the operation means to the calling thread when all have come.
struct Services {
  int (*block)(Thread* self, BlockOp op, int value);
  unsigned long long (*warp)(Thread* self, WarpOp op, unsigned int mask, unsigned long long value,
                             unsigned int source);
  void (*grid)(Thread* self);
  // Lets other threads go on.
  void (*yield)(Thread* self);
  // The kernel ends with an error; does not return.
  void (*fail)(Thread* self, const char* what);
  // Before memory is used, where all uses are checked; `caller` is in the kernel.
  void (*access)(Thread* self, const void* place, unsigned long bytes, Access access,
                 const void* caller);
};

struct alignas(64) Thread {
  Extents thread_index, block_index, block_extent, grid_extent;
  unsigned int number;  // in the block
  int patience;         // atomic operations until it yields
  int is_cooperative;
  const Services* services;
  void* shared;  // dynamic
  unsigned long long shared_bytes;
  void* runner;
};

// The record of the thread whose stack the address is of.
inline Thread* thread_of(const void* frame) {
  const unsigned long top = (reinterpret_cast<unsigned long>(frame) | (kStackBytes - 1)) + 1;
  return reinterpret_cast<Thread*>(top - kPlaceBytes * (1 + top / kStackBytes % kPlaces));
}

// A kernel, called with where its arguments lie.
struct KernelEntry {
  const char* name;
  void (*run)(void* const* arguments);
  const unsigned long long* sizes;  // of the parameters
  unsigned long long parameters;
};

}  // namespace cupola_simt

#endif
