"""The lab as a stranger starts it: the command, its address, and all it wrote to its log."""

import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from urllib.parse import urlsplit

COLD = 240.0  # seconds to compile the kernels on a busy machine
PATIENCE = 60.0  # seconds to start; a cold machine compiles nothing before it listens
SHAMEFUL = ("Traceback", "failed with following error", "_pending_writes", "ERROR", "Error")


class LabServer:
    """``viterbi-lab`` in a process of its own, on a free port."""

    command = (sys.executable, "-m", "viterbi_lab.cli")

    def __init__(self, arguments: Sequence[str] = (), **environment: str) -> None:
        self.process = subprocess.Popen(
            [*self.command, "--port", "0", "--no-browser", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, **environment},
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.address = self._wait_for_address()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)

    @property
    def port(self) -> int:
        return urlsplit(self.address).port

    def wait_until_ready(self) -> None:
        """Wait until the kernels are loaded: pages opened from now on are the lab itself."""
        deadline = time.monotonic() + COLD
        while True:
            with urllib.request.urlopen(self.address, timeout=PATIENCE) as answer:
                if 'http-equiv="refresh"' not in answer.read().decode():
                    return
            assert time.monotonic() < deadline, "The kernels were not loaded in time."
            time.sleep(0.5)

    @property
    def complaints(self) -> list[str]:
        """Lines of the log that no session may leave behind."""
        return [line for line in self.lines if any(word in line for word in SHAMEFUL)]

    def _read(self) -> None:
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def _wait_for_address(self) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in list(self.lines):
                if "is ready at http" in line:
                    return line.split()[-1]
            time.sleep(0.05)
        self.stop()
        raise AssertionError("The server did not start:\n" + "".join(self.lines))
