"""Memory pools, pointers, pinned memory, and their history."""
