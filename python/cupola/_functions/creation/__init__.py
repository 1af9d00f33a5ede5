"""Arrays made of nothing, of ranges, of other arrays' forms."""
