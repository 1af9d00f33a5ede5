"""What belongs to arrays: their methods, attributes and protocols."""
