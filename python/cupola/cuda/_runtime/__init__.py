"""What `cupola.cuda.runtime` is made of."""
