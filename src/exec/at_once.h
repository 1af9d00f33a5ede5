#pragma once
// What small work takes when nothing stands in its way: no lock is waited for that anybody has for
// longer than a moment, and no memory of the device is asked for.

#include "cupola/array.h"

namespace cupola {

// Computes an elementwise pending array, or a reduction to one element and what is made of it, on a
// thread that may not be kept waiting, as it holds the interpreter lock. False, and nothing done,
// unless nothing has to be waited for or made: what it reads is stored and used on no other stream,
// nobody else has a part of it, its kernel is known to the thread, and memory is at hand. Throws
// LaunchError.
bool evaluate_at_once(const Array& array);

}  // namespace cupola
