#pragma once
// For tests: forked children.

#include <sys/wait.h>
#include <unistd.h>

#include "base/testing/sanitized.h"

namespace cupola {

// Sanitizers cannot follow a fork of a process with several threads. ThreadSanitizer ends a child
// that starts threads; AddressSanitizer's allocator stays locked where a lost thread was in it.
// There, children end at once, and tests of forks see what happens to the parent.
inline constexpr bool kChildrenMayWork = !kIsSanitized;

// Waits for a child that runs `body`, which says whether it is content, for at most so long. 0: it
// was content. For bodies that sanitizers can follow: others have status_of_child.
template <typename Body>
int status_of_working_child(const Body& body, unsigned seconds = 30) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// As status_of_working_child. Where children may not work, this one is content at once.
template <typename Body>
int status_of_child(const Body& body, unsigned seconds = 30) {
  return status_of_working_child([&] { return !kChildrenMayWork || body(); }, seconds);
}

}  // namespace cupola
