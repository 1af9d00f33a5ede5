#pragma once
// When pending arrays are computed: as late as nobody can notice.
//
// A deferred array waits in the list of the stream that it was asked for on. It is computed when
// its value is read or its address leaves the library (evaluate), before memory that it reads is
// written (compute_readers), when its stream is synchronised or ordered with others
// (StreamState::compute_deferred), and when too many wait.

#include <cstdint>
#include <span>
#include <vector>

#include "cupola/evaluation.h"
#include "graph/node.h"
#include "runtime/stream.h"

namespace cupola {

// A result of the library: pending as it is, or computed where it cannot wait. Returns `value`.
// Throws ValueError for an array that no memory can hold.
const Array& defer(const Array& value);
// The strides that a pending array will have; by default those that NumPy gives an operation's
// result, from the arrays below it.
void lay_out(const Array& pending, Dims strides);
void lay_out(const Array& pending);

// A result whose shape is known only when it is computed. It waits as a deferred array does.
class UnshapedResult {
 public:
  virtual ~UnshapedResult() = default;
  // Once; what it throws it may be asked for again.
  virtual void compute() = 0;
  // What it is computed from; nothing afterwards.
  virtual std::vector<Array> inputs() const = 0;
};
void defer(const std::shared_ptr<UnshapedResult>& result, const Device& device);

// Before the elements of `target` are written: computes the arrays that read them, but for those
// that only `sources`, the right-hand side of the write, is made of, and for `stored`, which are
// below them and which the kernel that writes stores.
void compute_readers(const Array& target, std::span<const Array> sources = {},
                     std::span<const Array> stored = {});

// Where there is no memory: computes what waits on the device, as far as there is some, so that
// what it reads can go. False: nothing was computed, as this thread computes already, or as nothing
// waits.
bool compute_to_free(const Device& device);

// While one lives, the thread computes, and holds claims that others may wait for.
class Computing {
 public:
  Computing() noexcept;
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// While one lives, defer() computes nothing on this thread, which must not be kept waiting; what
// it would have computed, compute() does afterwards.
class ComputeLater {
 public:
  ComputeLater() noexcept;
  ~ComputeLater();
  ComputeLater(const ComputeLater&) = delete;
  ComputeLater& operator=(const ComputeLater&) = delete;

  // Computes where that takes no waiting (exec/launch/at_once.h). False: there is something left.
  bool compute_at_once();
  void compute();

 private:
  friend const Array& defer(const Array& value);
  ComputeLater* outer_;
  std::vector<Array> arrays_;
  DeferredWork* list_ = nullptr;
  std::shared_ptr<StreamState> stream_;  // keeps the list
};

}  // namespace cupola
