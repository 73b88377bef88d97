"""The lab as a stranger starts it: the command, its address, and all it wrote to its log."""

import subprocess
import sys
import threading
import time
from collections.abc import Sequence

PATIENCE = 60.0  # seconds to start; a cold machine compiles nothing before it listens
SHAMEFUL = ("Traceback", "failed with following error", "_pending_writes", "ERROR", "Error")


class LabServer:
    """``viterbi-lab`` in a process of its own, on a free port."""

    def __init__(self, arguments: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "viterbi_lab.cli", "--port", "0", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
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
