"""Visitors without browsers, many at once: what they wait for, and what they leave behind.

    python tests/ui/crowd.py step --clients 50 --seconds 60 --trainers 5
    python tests/ui/crowd.py visit --times 400
    python tests/ui/crowd.py soak --minutes 30

Each serves a lab of its own on this machine, and prints a line of JSON with what was measured.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bokeh.protocol.messages import patch_doc
from lab_server import LabServer
from raw_client import PATIENCE, RawClient, finish

PROBED = Path(__file__).with_name("probed_lab.py")
EDIT_EVERY = 5  # steps
TRAIN_EVERY = 10.0  # seconds; who trains already is not heard
FORGOTTEN = 60.0  # seconds after which the server must have forgotten a page that was closed


class ProbedLab(LabServer):
    """A lab that can be asked what it holds."""

    command = (sys.executable, str(PROBED))

    def holds(self) -> dict[str, int]:
        """Numbers of sessions, pages, documents, threads and files, and resident bytes."""
        said = len(self.held)
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        while len(self.held) == said:
            assert time.monotonic() < deadline, "The lab does not say what it holds."
            time.sleep(0.02)
        return self.held[-1]

    @property
    def held(self) -> list[dict[str, int]]:
        return [json.loads(line.removeprefix("HOLDS ")) for line in self.lines if line.startswith("HOLDS ")]

    def empty(self) -> dict[str, int]:
        """What it holds once it has forgotten everybody."""
        deadline = time.monotonic() + FORGOTTEN
        while (holds := self.holds())["sessions"]:
            assert time.monotonic() < deadline, f"Sessions stay: {holds}"
            time.sleep(0.5)
        return holds

    def processor_seconds(self) -> float:
        """Processor time of the server, without its workers."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Visitor(RawClient):
    """A page that listens all the time, as a browser does, and knows the Step view and Train."""

    async def open(self) -> None:
        """Fetch the page, connect, and find the stage and the button."""
        await self.connect()
        self._replies: dict[str, asyncio.Future] = {}
        self._answers: dict[int, asyncio.Future] = {}
        self._serial = 0
        self._listening = asyncio.create_task(self._listen())
        page = (await self.ask(self._protocol.create("PULL-DOC-REQ"))).content["doc"]
        objects = list(_objects(page))
        data = [one["attributes"]["data"] for one in objects if "esm" in one["attributes"]]
        self._stage = next(one["id"] for one in data if "problem" in one["attributes"])
        self._train = next(
            one["id"] for one in objects if _data(one).get("label") == "Train" and "esm" in one["attributes"]
        )
        await self._happens("document_ready")  # as browsers say it; Panel sends nothing before

    async def ask(self, message):
        """Send a message and return its reply."""
        reply = self._replies[message.header["msgid"]] = asyncio.get_running_loop().create_future()
        await message.send(self)
        return await asyncio.wait_for(reply, PATIENCE)

    async def step(self, number: int) -> float:
        """Tell the server the step, as the stage does; seconds until it has heard."""
        begin = time.perf_counter()
        await self._change(self._stage, "step", number)
        return time.perf_counter() - begin

    async def edit(self, text: str) -> float:
        """Change a score; seconds until the problem is solved again and the answer is here."""
        self._serial += 1
        answer = self._answers[self._serial] = asyncio.get_running_loop().create_future()
        begin = time.perf_counter()
        wish = {"serial": self._serial, "kind": "first", "index": 0, "text": text}
        await self._change(self._stage, "edit", wish)
        error = await asyncio.wait_for(answer, PATIENCE)
        assert error == "", error
        return time.perf_counter() - begin

    async def train(self) -> None:
        """Press Train."""
        values = [["model", {"id": self._train}], ["node", "click"], ["data", _map(["type", "click"])]]
        event = {"type": "event", "name": "dom_event", "values": _map(*values)}
        await self._send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    def close(self) -> None:
        """Close the tab."""
        self._listening.cancel()
        super().close()

    async def _happens(self, name: str, *values: list) -> None:
        """Tell the server of an event."""
        event = {"type": "event", "name": name, "values": _map(*values)}
        await self._send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    async def _change(self, model: str, attribute: str, value) -> None:
        await self._send({"kind": "ModelChanged", "model": {"id": model}, "attr": attribute, "new": value})

    async def _send(self, event) -> None:
        reply = await self.ask(patch_doc(patch_doc.create_header(), {}, {"events": [event]}))
        assert reply.msgtype == "OK", reply.content

    async def _listen(self) -> None:
        while True:
            message = await self.receive(patience=None)
            waiting = self._replies.pop(message.header.get("reqid"), None)
            if waiting is not None:
                waiting.set_result(message)
            elif message.msgtype == "PATCH-DOC":
                for event in message.content["events"]:
                    if event.get("attr") == "reply" and event["model"]["id"] == self._stage:
                        answer = dict(event["new"]["entries"])
                        self._answers.pop(answer["serial"]).set_result(answer["error"])


def _map(*entries: list) -> dict:
    """A dictionary as Bokeh writes one that has a key ``type``."""
    return {"type": "map", "entries": list(entries)}


def _objects(node) -> Iterator[dict]:
    """Every model in the JSON of a document."""
    if isinstance(node, dict):
        if "id" in node and "attributes" in node:
            yield node
        for below in node.values():
            yield from _objects(below)
    elif isinstance(node, list):
        for below in node:
            yield from _objects(below)


def _data(model: dict) -> dict:
    data = model["attributes"].get("data")
    return data.get("attributes", {}) if isinstance(data, dict) else {}


async def step_together(address: str, clients: int, seconds: float, trainers: int) -> dict[str, list[float]]:
    """Let visitors step once a second, each at its own beat; some of them train all the time.

    Returns:
        Seconds that each of them waited, for ``open``, ``step`` and ``edit``.
    """
    waited: dict[str, list[float]] = {"open": [], "step": [], "edit": []}
    visitors = [Visitor(address) for _ in range(clients)]
    for visitor in visitors:
        begin = time.perf_counter()
        await visitor.open()
        waited["open"].append(time.perf_counter() - begin)
    end = time.perf_counter() + seconds

    async def stepping(visitor: Visitor, number: int) -> None:
        await asyncio.sleep(number / clients)
        beat = 0
        while (begin := time.perf_counter()) < end:
            beat += 1
            if beat % EDIT_EVERY == number % EDIT_EVERY:
                waited["edit"].append(await visitor.edit(str(beat + number / clients)))
            else:
                waited["step"].append(await visitor.step(beat))
            await asyncio.sleep(max(0.0, begin + 1.0 - time.perf_counter()))

    async def training(visitor: Visitor) -> None:
        while time.perf_counter() < end:
            await visitor.train()
            await asyncio.sleep(min(TRAIN_EVERY, max(0.1, end - time.perf_counter())))

    await asyncio.gather(
        *(stepping(visitor, number) for number, visitor in enumerate(visitors)),
        *(training(visitor) for visitor in visitors[:trainers]),
    )
    for visitor in visitors:
        visitor.close()
    return waited


async def visit(address: str, times: int) -> None:
    """Open a page, step twice, and close it, again and again."""
    for _ in range(times):
        visitor = Visitor(address)
        await visitor.open()
        await visitor.step(1)
        await visitor.edit("2.5")
        visitor.close()


async def soak(lab: ProbedLab, minutes: float, clients: int = 20) -> Iterator[dict[str, int]]:
    """Let visitors come, step, edit, train and go at random; yields what the lab holds once a minute."""
    dice = random.Random(0)
    visitors: list[Visitor] = []
    for _ in range(round(minutes)):
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            if len(visitors) < clients:
                visitors.append(Visitor(lab.address))
                await visitors[-1].open()
            one = dice.choice(visitors)
            match dice.randrange(40):
                case 0:
                    one.close()
                    visitors.remove(one)
                case 1:
                    await one.train()
                case n if n < 10:
                    await one.edit(str(dice.random()))
                case _:
                    await one.step(dice.randrange(50))
            await asyncio.sleep(1.0 / clients)
        yield await asyncio.get_running_loop().run_in_executor(None, lab.holds)
    for visitor in visitors:
        visitor.close()


def percentiles(waited: list[float]) -> dict[str, float]:
    """p50, p95, p99 and the largest, in ms."""
    ordered = sorted(waited)
    last = len(ordered) - 1
    return {
        name: round(1000 * ordered[round(share * last)], 1)
        for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("step", "visit", "soak"))
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--trainers", type=int, default=5)
    parser.add_argument("--times", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=30.0)
    asked = parser.parse_args()
    lab = ProbedLab()
    lab.wait_until_ready()
    say = lambda **what: print(json.dumps(what), flush=True)  # noqa: E731, T201
    if asked.what == "step":
        begin = lab.processor_seconds()
        waited = finish(step_together(lab.address, asked.clients, asked.seconds, asked.trainers))
        used = lab.processor_seconds() - begin
        say(**{name: percentiles(found) for name, found in waited.items()}, processor_seconds=round(used, 1))
    elif asked.what == "visit":
        for done in range(0, asked.times, 40):
            finish(visit(lab.address, min(40, asked.times - done)))
            say(visits=min(done + 40, asked.times), **lab.empty())
    else:

        async def follow():
            async for holds in soak(lab, asked.minutes):
                say(**holds)

        finish(follow())
        say(**lab.empty())
    say(load=os.getloadavg(), complaints=lab.complaints)
    lab.stop()


if __name__ == "__main__":
    main()
