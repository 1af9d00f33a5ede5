"""Assertions for arrays, and CuPy's decorators of tests over dtypes, orders and libraries.

The decorators work with pytest and with unittest; pytest is loaded by those that need it.
"""

from cupola.testing._assertions import *  # noqa: F403
from cupola.testing._combinations import *  # noqa: F403
from cupola.testing._comparison import *  # noqa: F403
from cupola.testing._dtypes import *  # noqa: F403
from cupola.testing._inputs import *  # noqa: F403
from cupola.testing._orders import *  # noqa: F403
from cupola.testing._parameters import *  # noqa: F403
from cupola.testing._requirements import *  # noqa: F403
