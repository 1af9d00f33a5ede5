"""CuPy programs: names that only CuPy has, and what runs and reads such programs."""
