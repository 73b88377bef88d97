"""Benchmarks print one table at the end; each row is a ratio measured in one run."""

import pytest

ROWS: list[tuple[str, str]] = []


@pytest.fixture(scope="session")
def report():
    """``report(what, figure)`` adds a row to the table."""

    def add(what: str, figure: str) -> None:
        ROWS.append((what, figure))

    return add


@pytest.fixture(autouse=True)
def alone(request):
    """Nothing is measured beside other tests."""
    if hasattr(request.config, "workerinput"):
        pytest.fail("Benchmarks want the machine for themselves: run them with -n 0.")


def pytest_terminal_summary(terminalreporter):
    if ROWS:
        width = max(len(what) for what, _ in ROWS)
        terminalreporter.section("benchmarks: ratios, one core, one run")
        for what, figure in ROWS:
            terminalreporter.write_line(f"{what:<{width}}  {figure}")
