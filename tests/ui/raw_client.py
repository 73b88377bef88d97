"""A client of the lab without a browser, which sends whatever a test wants over the websocket."""

import asyncio
import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import panel  # noqa: F401 - registers the models that documents are made of
import panel_material_ui  # noqa: F401
from bokeh.document import Document
from bokeh.protocol import Protocol
from bokeh.protocol.messages import patch_doc
from bokeh.protocol.receiver import Receiver
from tornado import locks
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

PATIENCE = 60.0  # seconds for an answer


def finish(coroutine):
    """The result of a coroutine, from a thread of its own: here the loop of a browser may be running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


class RawClient:
    """One open page: `open` it, change models of its document by `patch`, and `close` it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.document: Document | None = None
        self.write_lock = locks.Lock()  # messages want it
        self._protocol = Protocol()

    async def open(self) -> None:
        """Fetch the page, connect, and pull its document."""
        await self.connect()
        self.document = await self.pull()

    async def connect(self) -> None:
        """Fetch the page and connect."""
        loop = asyncio.get_running_loop()
        html, cookie = await loop.run_in_executor(None, self._fetch)
        token = re.search(r'"token":"([^"]+)"', html)[1]
        host = urlsplit(self.address).netloc
        request = HTTPRequest(f"ws://{host}/ws", headers={"Origin": f"http://{host}", "Cookie": cookie})
        self._socket = await websocket_connect(request, subprotocols=["bokeh", token], max_message_size=10**8)
        await self.receive()  # ACK

    def _fetch(self) -> tuple[str, str]:
        with urllib.request.urlopen(self.address, timeout=PATIENCE) as answer:
            return answer.read().decode(), answer.headers.get("Set-Cookie", "").split(";")[0]

    async def receive(self, patience: float | None = PATIENCE):
        """The next whole message of the server; None waits for ever."""
        receiver, message = Receiver(self._protocol), None
        while message is None:
            fragment = await asyncio.wait_for(self._socket.read_message(), patience)
            assert fragment is not None, "The server closed the connection."
            message = await receiver.consume(fragment)
        return message

    async def ask(self, message):
        """Send a message and return its reply; what the server says in between is passed over."""
        await message.send(self)
        while True:
            reply = await self.receive()
            if reply.header.get("reqid") == message.header["msgid"]:
                return reply

    async def write_message(self, fragment, binary=False, locked=True) -> None:
        """As messages want to be sent."""
        await self._socket.write_message(fragment, binary)

    async def patch(self, model, attribute: str, value):
        """Set a property of a model, whatever it allows; return the reply."""
        return await self.raw_patch(
            {"kind": "ModelChanged", "model": {"id": model.id}, "attr": attribute, "new": value}
        )

    async def raw_patch(self, *events):
        """Send events of a document as they stand; return the reply."""
        return await self.ask(patch_doc(patch_doc.create_header(), {}, {"events": list(events)}))

    async def pull(self) -> Document:
        """The document as the server has it now."""
        reply = await self.ask(self._protocol.create("PULL-DOC-REQ"))
        document = Document()
        reply.push_to_document(document)
        return document

    def close(self) -> None:
        """Close the connection, as a closed tab does."""
        self._socket.close()
