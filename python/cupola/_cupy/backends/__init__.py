"""What programs take from `cupy_backends`: CUDA's functions and libraries by their old paths."""
