"""The hypothesis profile, and skips for what the module under test has not."""

import gc
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, core, settings

sys.path.insert(0, str(Path(__file__).parent))

from support.draws import SEED
from support.faults import INJECTED, TRIES, is_injected
from support.selection import spread

# Each new kernel is compiled on a GPU, so there are fewer examples there.
ON_CUDA = os.environ.get("CUPOLA_PLATFORM") == "cuda"
EXAMPLES = int(os.environ.get("CUPOLA_TEST_EXAMPLES", "20" if ON_CUDA else "60"))
# A failure that is looked for need not be made small.
LOOKING_FOR_FAULTS = "CUPOLA_TEST_FAULT" in os.environ
PHASES = [Phase.explicit, Phase.generate] + ([] if LOOKING_FOR_FAULTS else [Phase.shrink])

# The tests of devices need several; the one-device configuration asks for one.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")

# Tests leave the user's cache alone: theirs is empty at first, and serves all processes of a run.
if "CUPOLA_DISK_CACHE" not in os.environ:
    KERNELS = tempfile.TemporaryDirectory(prefix="cupola-tests-")
    os.environ.update(CUPOLA_CACHE_DIR=KERNELS.name, CUPOLA_DISK_CACHE="1")

settings.register_profile(
    "cupola",
    max_examples=EXAMPLES,
    derandomize=SEED is None,
    deadline=None,
    database=None,
    print_blob=False,
    phases=PHASES,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("cupola")
core.global_force_seed = SEED


class FailuresAtOnce:
    """Prints why a test failed when it does: a run that is stopped has no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self.plugins = config.pluginmanager

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self.plugins.get_plugin("terminalreporter")  # none in xdist's workers
        crash = getattr(report.longrepr, "reprcrash", None)
        if report.failed and crash and terminal:
            message = crash.message.partition("\n")[0]
            terminal.write(f"\nFAILED {report.nodeid} - {message}\n")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers, and what tells failures."""
    config.addinivalue_line("markers", "cupola_only: needs what NumPy does not have")
    config.pluginmanager.register(FailuresAtOnce(config))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Tells how to draw the same examples again."""
    if SEED is not None:
        terminalreporter.write_line(f"property tests drew by CUPOLA_TEST_SEED={SEED}")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Where calls of the platform fail on purpose, a test that such a failure ends is repeated."""
    if not INJECTED:
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    for remaining in reversed(range(TRIES)):
        try:
            pyfuncitem.obj(**arguments)
            break
        except Exception as error:
            if remaining == 0 or not is_injected(error):
                raise
    return True


# A file of such tests alone may name what NumPy has not before any test runs.
WHOLLY_OF_CUPOLA = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.cupola_only\b", re.MULTILINE)


def is_left_out(text: str) -> bool:
    """Whether the environment asks for other tests than those of a file with this text.

    With NumPy as the module under test, tests of cupola's own layers are left out. Programs that
    tests begin wait for each other where a device's driver makes one context at a time, so that
    CUPOLA_TEST_PROGRAMS=only and CUPOLA_TEST_PROGRAMS=none part the tests by that.
    """
    is_of_cupola = "support" not in text or WHOLLY_OF_CUPOLA.search(text)
    if os.environ.get("CUPOLA_TEST_MODULE") == "numpy" and is_of_cupola:
        return True
    begins_programs = "subprocess" in text or "multiprocessing" in text
    return os.environ.get("CUPOLA_TEST_PROGRAMS") == ("none" if begins_programs else "only")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leaves out test files by what they hold."""
    is_test = collection_path.name.startswith("test_") and collection_path.suffix == ".py"
    return (is_test and is_left_out(collection_path.read_text())) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With NumPy as the module under test there are no devices to test.

    CUPOLA_TEST_CASES=3 leaves three cases of each test function; CUPOLA_TEST_SHARE=2/3 leaves, of
    what is left, every third test, from the second one on.
    """
    if cases := os.environ.get("CUPOLA_TEST_CASES"):
        items[:] = spread(items, lambda item: getattr(item, "function", item), int(cases))
    if share := os.environ.get("CUPOLA_TEST_SHARE"):
        number, count = map(int, share.split("/"))
        items[:] = items[number - 1 :: count]
    if os.environ.get("CUPOLA_TEST_MODULE") == "numpy":
        skip = pytest.mark.skip(reason="needs cupola")
        for item in items:
            if "cupola_only" in item.keywords:
                item.add_marker(skip)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Lists the tests in the file that CUPOLA_TEST_COLLECTED names, where somebody asks for them.

    Collections of garbage need not look at tens of thousands of tests.
    """
    is_first = os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0"
    if (collected := os.environ.get("CUPOLA_TEST_COLLECTED")) and is_first and session.items:
        Path(collected).write_text("".join(f"{item.nodeid}\n" for item in session.items))
    gc.collect()
    gc.freeze()


@pytest.fixture
def deferred() -> Iterator[None]:
    """Results stay pending, whatever the environment says."""
    import cupola as cp

    before = cp.config.eager
    cp.config.eager = False
    yield
    cp.config.eager = before


@pytest.fixture
def a() -> Any:
    """A stored matrix."""
    import cupola as cp

    return cp.asarray(np.linspace(1, 2, 300 * 400, dtype=np.float32).reshape(300, 400))


@pytest.fixture(scope="session", autouse=True)
def kernels_compute() -> Iterator[None]:
    """Few elements that lie in the host's memory, too."""
    if os.environ.get("CUPOLA_TEST_MODULE") == "numpy":
        yield
        return
    from cupola._functions import few_elements

    few_elements.asks_numpy = False
    yield
    few_elements.asks_numpy = True


@pytest.fixture
def numpy_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few elements that lie in the host's memory, as outside of tests."""
    from cupola._functions import few_elements

    monkeypatch.setattr(few_elements, "asks_numpy", True)


@pytest.fixture(params=["kernels", "NumPy"])
def few_elements(request: pytest.FixtureRequest) -> None:
    """Who computes few elements that lie in the host's memory."""
    if request.param == "NumPy" and os.environ.get("CUPOLA_TEST_MODULE") != "numpy":
        request.getfixturevalue("numpy_computes")
