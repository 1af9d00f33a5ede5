"""What other libraries need to know of these arrays, a module for each.

`import cupola` imports none of them: what registers itself does so when both libraries are there.
"""
