#pragma once
// Threads that copy between host memories, for transfers that one thread would hold up. They start
// with the first copy that needs them and sleep otherwise.

#include <cstddef>
#include <functional>

namespace cupola {

// The threads that copy together, the caller among them: CUPOLA_COPY_THREADS, else `usual`; not
// more than the cores of this process.
int copy_threads(int usual);

// Runs `work` on this thread and on up to `helpers` others at once, and returns when all that began
// it are done; `work` shares out what there is to do by itself. What one of them throws is thrown.
void run_with_helpers(int helpers, const std::function<void()>& work);

// For a target that the processor will not read soon: past the caches where it can be.
void copy_past_cache(void* target, const void* source, std::size_t bytes);
// By several threads where there is enough to do.
void copy_in_parallel(void* target, const void* source, std::size_t bytes);

// Asks for huge pages where a range of that size deserves them; only advice.
void advise_huge_pages(void* data, std::size_t bytes);

}  // namespace cupola
