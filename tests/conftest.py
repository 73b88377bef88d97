"""What all tests share: the golden values and the case files."""

import json
import os
import sys
from pathlib import Path

# Before numpy: on small matrices the threads of BLAS spend the processor on waiting for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

settings.register_profile("lab", deadline=None)  # the first call of a kernel compiles it
settings.load_profile("lab")


@pytest.fixture
def rng():
    return np.random.default_rng(20140204)


@pytest.fixture(scope="session")
def golden():
    """``golden("g01_oracles")``: the expected values of the specification."""

    def load(name):
        return json.loads((HERE / "golden" / f"{name}.json").read_text(encoding="utf-8"))

    return load


@pytest.fixture(scope="session")
def case():
    """``case("01")``: one case file, with its infinities and nan turned into floats."""
    words = {"-inf": float("-inf"), "+inf": float("inf"), "nan": float("nan")}

    def numbers(value):
        if isinstance(value, dict):
            return {key: numbers(item) for key, item in value.items()}
        if isinstance(value, list):
            return [words.get(item, item) if isinstance(item, str) else numbers(item) for item in value]
        return value

    def load(number):
        (path,) = (HERE / "cases").glob(f"{number}-*.json")
        return numbers(json.loads(path.read_text(encoding="utf-8")))

    return load
