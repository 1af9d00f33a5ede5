"""Where NVIDIA's Python packages (requirements/cuda.txt) or a CUDA toolkit have a file."""

import os
from importlib.util import find_spec
from pathlib import Path


def cuda_folder(pattern: str, *kinds: str) -> Path | None:
    """The first folder of these kinds (`include`, `lib`, `lib64`) that has such a file."""
    packages = find_spec("nvidia")
    found = packages.submodule_search_locations if packages else None
    roots = [Path(folder) / "cu13" for folder in found or ()]
    roots += [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    roots.append(Path("/usr/local/cuda"))
    folders = [root / kind for root in roots for kind in kinds]
    return next((folder for folder in folders if any(folder.glob(pattern))), None)
