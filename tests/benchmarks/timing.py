"""Fair timing inside one process: processor time, the programs in turn, the best of each."""

import time
from collections.abc import Callable, Mapping


def fastest(
    programs: Mapping[str, Callable[[], object]], *, rounds: int = 7, enough: float = 0.02
) -> dict[str, float]:
    """Seconds of processor time of one call of each program.

    Each is warmed up, repeated until a measurement takes ``enough`` seconds, and measured ``rounds`` times in
    turn with the others, so that all meet the same disturbances; the fastest measurement counts.
    """
    repeats = {}
    for name, program in programs.items():
        program()
        start = time.process_time()
        program()
        once = max(time.process_time() - start, 1e-7)
        repeats[name] = max(1, int(enough / once))
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(rounds):
        for name, program in programs.items():
            start = time.process_time()
            for _ in range(repeats[name]):
                program()
            best[name] = min(best[name], (time.process_time() - start) / repeats[name])
    return best
