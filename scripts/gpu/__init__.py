"""What scripts/gpu_check runs on a GPU, part by part, and the record of it."""
