#pragma once
// Results that stay pending are made with the interpreter lock held, and those that nothing stands
// in the way of are computed with it: to hand it to another thread takes longer.

#include <utility>

#include "exec/evaluation/deferral.h"
#include "python/bindings.h"

namespace cupola::python {

// What `make` returns, a result that needs no element of its operands. What cannot wait is computed
// without the lock.
template <typename Make>
Array make_deferred(const Make& make) {
  note_call_site();
  ComputeLater later;
  Array result = make();
  if (!later.compute_at_once()) {
    Unlocked unlocked;
    later.compute();
  }
  return result;
}

}  // namespace cupola::python
