"""Arrays in files and other bytes: reading and writing."""
