"""How kernels are compiled, and where the machine code is kept.

numba keys its cache by the file of the function itself and does not notice that a function it calls
has changed. So the code of this package lies in a directory named by a digest of all modules with kernels:
another source, another directory. The cache is made of pickles, hence private to the user (mode 0700)
and never in a shared temporary folder.
"""

import hashlib
import logging
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import numba
from numba.core import config
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher

log = logging.getLogger(__name__)


def cache_directory() -> Path | None:
    """Where compiled kernels are kept, or None if no private directory can be written.

    ``NUMBA_CACHE_DIR`` names the parent if it is set, else the user's cache folder is.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        content = source.read_bytes()
        if b"dp.compile import kernel" in content:
            digest.update(content)
    parent = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    directory = Path(parent).expanduser() / "viterbi_lab" / f"kernels-{digest.hexdigest()[:16]}"
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        writable = os.access(directory, os.W_OK)
    except (OSError, RuntimeError):  # RuntimeError: "~" without a home
        return None
    return directory if writable else None


_DIRECTORY = cache_directory()
DAMAGED = (
    EOFError,
    pickle.UnpicklingError,
    UnicodeDecodeError,
    AttributeError,
    ImportError,
    IndexError,
    ValueError,
)
"""What reading a file of numba's cache raises that a dying machine left half written."""


class _Cache(FunctionCache):
    """numba's cache of one function, which forgets a damaged file and compiles instead of failing."""

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except DAMAGED as damage:
            log.warning("Compiling %s again: its cache is damaged (%r).", self._py_func.__name__, damage)
            self.flush()
            return None


def kernel(function: Callable) -> Callable:
    """Compile without the Python lock and with a cache on disk; the one set of flags of this package."""
    if _DIRECTORY is None:
        return numba.njit(nogil=True)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_DIRECTORY)
    try:
        dispatcher = numba.njit(nogil=True)(function)
        if isinstance(dispatcher, Dispatcher):  # else NUMBA_DISABLE_JIT left the function as it was
            dispatcher._cache = _Cache(function)
        return dispatcher
    finally:
        config.CACHE_DIR = before


def fused(function: Callable) -> Callable:
    """A kernel that is compiled into those that call it: for what runs once a site or more often.

    A call that passes arrays counts their references up and down, atomically: with five arrays and three
    calls deep that was three quarters of the time of a sequence of 100 sites.
    """
    return numba.njit(nogil=True, forceinline=True)(function)
