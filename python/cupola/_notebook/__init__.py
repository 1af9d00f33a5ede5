"""What notebooks show: arrays, explanations, profiles and devices as HTML, and the magics.

Loaded when a notebook first asks for one of them; nothing of it at `import cupola`.
"""
