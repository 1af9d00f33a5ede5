"""Elements picked and put by index, mask and position."""
