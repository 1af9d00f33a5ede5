"""`cupy_backends.cuda`."""

from cupola._cupy.backends.cuda import api as api
from cupola._cupy.backends.cuda import libs as libs
from cupola.cuda import stream as stream
