"""What the property tests share: sample values, views, tolerances and the comparison."""
