"""What may be used: every limit of the library, the page and the server, in one object.

An operating system grants memory lazily and then kills the process that uses it, and a browser waits for
ever. So the limits are ours: what would exceed one is refused before it begins, in a sentence that names the
value, the limit and what would fit.
"""

import os
from dataclasses import Field, dataclass, field, fields

PREFIX = "VITERBI_LAB_"


def _limit(default: int, what: str, *, least: int = 1) -> int:
    return field(default=default, metadata={"what": what, "least": least})


@dataclass(frozen=True)
class Limits:
    """The limits. An environment variable overrides each: ``decode_bytes`` is VITERBI_LAB_DECODE_BYTES.

    What each attribute limits is said by `described`.
    """

    decode_bytes: int = _limit(512_000_000, "bytes of working memory of one decoding")
    trace_bytes: int = _limit(64_000_000, "bytes of all tables L and S of one trace")
    program_bytes: int = _limit(512_000_000, "bytes of the table of sparse planes in one quadratic program")
    program_seconds: int = _limit(300, "seconds for which one solver may work at a quadratic program")
    job_bytes: int = _limit(2_000_000_000, "bytes that a job in a worker process may add to its memory")
    job_seconds: int = _limit(600, "time in seconds from the start of a job to its end, pauses included")
    pause_seconds: int = _limit(120, "seconds for which a paused job keeps its worker while others wait")
    jobs_per_user: int = _limit(2, "jobs of one visitor that run or wait")
    queued_jobs: int = _limit(100, "jobs of all visitors that wait")
    ping_seconds: int = _limit(15, "seconds within which a browser must answer, and between two questions")
    lost_seconds: int = _limit(15, "seconds for which a page without a connection is kept")
    sessions: int = _limit(200, "pages that are open at the same time")
    message_bytes: int = _limit(10_000_000, "bytes of one message from a browser")
    upload_bytes: int = _limit(8 * 2**20, "bytes of a problem or a data file that is uploaded")
    story_bytes: int = _limit(1_000_000, "bytes of the file of a story")
    unpacked_bytes: int = _limit(64 * 2**20, "bytes of uploaded files after they were unpacked, all together")
    table_rows: int = _limit(1_000_000, "rows of a table, which are sites or strings")
    model_bytes: int = _limit(10**9, "bytes of a model file")
    workers: int = _limit(0, "worker processes; 0 means all processors but one", least=0)

    @classmethod
    def from_environment(cls) -> "Limits":
        """The limits in force: the defaults, or what the environment says.

        Raises:
            ValueError: if a variable is set to something that is not a whole number large enough.
        """
        return cls(**{limit.name: _from(limit) for limit in fields(cls)})

    @classmethod
    def in_force(cls, name: str) -> int:
        """One limit, as `from_environment` gives it; for who asks often."""
        return _from(cls.__dataclass_fields__[name])

    @classmethod
    def described(cls) -> tuple[tuple[str, int, str], ...]:
        """Every limit: its environment variable, its default and what it limits."""
        return tuple((variable(limit.name), limit.default, limit.metadata["what"]) for limit in fields(cls))

    @property
    def n_workers(self) -> int:
        """How many worker processes there are."""
        return self.workers or max(1, (os.cpu_count() or 2) - 1)


def variable(name: str) -> str:
    """The environment variable that overrides a limit."""
    return PREFIX + name.upper()


def _from(limit: Field) -> int:
    text = os.environ.get(variable(limit.name))
    if text is None:
        return limit.default
    least = limit.metadata["least"]
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise ValueError(
            f"{variable(limit.name)}={text!r} is not a whole number of at least {least}. "
            f"It limits the {limit.metadata['what']}."
        )
    return int(text)
