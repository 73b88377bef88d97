"""Many visitors on one server: nobody is turned away or forgotten, and nothing is left of who has gone.

Small by default; with VITERBI_LAB_FULL=1 as many as a class, for as long as ``crowd.py`` takes by itself.
"""

import urllib.error
import urllib.request

import pytest
from crowd import ProbedLab, Visitor, percentiles, step_together, visit
from mutations import EVERYTHING
from raw_client import PATIENCE, finish

pytestmark = pytest.mark.slow

CLIENTS, SECONDS, TRAINERS = (50, 60.0, 5) if EVERYTHING else (4, 4.0, 1)
WARM, VISITS = (80, 400) if EVERYTHING else (4, 8)
GROWTH = 3_000_000 if EVERYTHING else 12_000_000  # bytes; the first pages fill caches
FULL = 60 if EVERYTHING else 6  # pages


@pytest.fixture(scope="module")
def lab():
    server = ProbedLab(VITERBI_LAB_SESSIONS=str(FULL), VITERBI_LAB_LOST_SECONDS="3")
    server.wait_until_ready()
    yield server
    server.stop()
    assert not server.complaints, "".join(server.lines)


def test_everybody_who_steps_while_others_train_is_answered(lab, record_property):
    waited = finish(step_together(lab.address, CLIENTS, SECONDS, TRAINERS))
    for name, found in waited.items():
        record_property(name, percentiles(found))
    assert len(waited["open"]) == CLIENTS
    assert len(waited["step"]) > CLIENTS * SECONDS / 4  # a busy machine may make some of them late
    assert len(waited["edit"]) >= CLIENTS * SECONDS / 20
    assert lab.empty()["pages"] == 0


def test_pages_that_come_and_go_leave_nothing_behind(lab):
    finish(visit(lab.address, WARM))
    before = lab.empty()
    finish(visit(lab.address, VISITS))
    after = lab.empty()
    assert after["pages"] == after["sessions"] == 0
    for name in ("labs", "threads", "files"):
        assert after[name] <= before[name] + 2, (name, before, after)  # one may be on its way
    assert after["bytes"] - before["bytes"] < GROWTH


def look(address):
    """Status, headers and text of a page."""
    try:
        answer = urllib.request.urlopen(address, timeout=PATIENCE)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, answer.headers, answer.read().decode()


def test_a_full_server_says_so_to_people_and_to_programs_until_somebody_leaves(lab):
    async def crowd():
        visitors = [Visitor(lab.address) for _ in range(FULL)]
        for visitor in visitors:
            await visitor.open()
        full = look(lab.address)
        for visitor in visitors:
            visitor.close()
        return full

    status, headers, text = finish(crowd())
    assert status == 503
    assert headers["Retry-After"] == "20"
    assert 'http-equiv="refresh"' in text  # the notice comes over the websocket, as every page does
    lab.empty()
    status, headers, text = look(lab.address)
    assert status == 200
    assert headers["Retry-After"] is None
    assert 'http-equiv="refresh"' not in text
