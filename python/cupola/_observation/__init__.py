"""What shows how a program runs."""
