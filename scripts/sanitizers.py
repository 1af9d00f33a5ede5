"""What the sanitizers are told, by everything that runs their builds."""

from pathlib import Path

_CONFIGS = Path(__file__).resolve().parent.parent / "tests/configs"

# Tests ask for more memory than there is: the allocators of the sanitizers refuse, as malloc does.
OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_init_order=1:"
    "allocator_may_return_null=1",
    "LSAN_OPTIONS": f"suppressions={_CONFIGS / 'lsan_suppressions.txt'}:print_suppressions=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={_CONFIGS / 'tsan_suppressions.txt'}:second_deadlock_stack=1:"
    # Suppressions are of no use for accesses whose stacks are forgotten.
    "allocator_may_return_null=1:history_size=7",
    # It is not instrumented, so that nothing is known of the order of its own threads' work.
    "OPENBLAS_NUM_THREADS": "1",
}

# Test programs that ThreadSanitizer does without: plans, texts and tables of dtypes are computed on
# the thread of the test, and have no race to show. In all others threads meet.
WITHOUT_THREADS = ("codegen_tests", "core_tests", "graph_tests")

# Tests of the values of every plan, shape and dtype. Threads meet in the same way in each of them:
# ThreadSanitizer looks at a part for each commit.
REPEATED = ("Plans/StagesOfPlans.", "Shapes/ReduceShapes.", "Selection.")
