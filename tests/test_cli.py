"""The command ``viterbi-lab``: what it prints, where it listens, and how it fails."""

import socket
import subprocess
import sys
import time
import urllib.request

import pytest

import viterbi_lab
from viterbi_lab import cli
from viterbi_lab.cli import check

PATIENCE = 60.0  # seconds to start


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "viterbi_lab.cli", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def taken_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


@pytest.fixture(scope="module")
def server():
    """The command started on a free port; its process, port and first line."""
    port = free_port()
    process = subprocess.Popen(
        command("--port", str(port)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    first = process.stdout.readline()
    yield process, port, first
    process.terminate()
    process.wait(PATIENCE)


def test_without_a_command_it_serves_and_says_where(server):
    _, port, first = server
    assert first == f"Viterbi Lab is ready at http://127.0.0.1:{port}\n"


def test_the_page_answers_as_soon_as_the_address_is_printed(server):
    _, port, _ = server
    with urllib.request.urlopen(f"http://127.0.0.1:{port}", timeout=PATIENCE) as answer:
        assert answer.status == 200
        assert "Viterbi Lab" in answer.read().decode()


def test_it_listens_on_this_machine_only(server):
    _, port, _ = server
    # all IPv4 and IPv6 sockets that listen on the port, as the kernel lists them
    listening = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as lines:
            for line in list(lines)[1:]:
                address, number = line.split()[1].split(":")
                if int(number, 16) == port and line.split()[3] == "0A":
                    listening.append(address)
    assert listening == ["0100007F"]  # 127.0.0.1


def test_a_websocket_from_another_site_is_refused(server):
    _, port, _ = server
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 403")


def test_it_stops_on_ctrl_c_without_a_traceback():
    process = subprocess.Popen(
        command("--port", "0"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert "is ready at" in process.stdout.readline()
    time.sleep(0.2)  # the loop begins right after the line is printed
    process.send_signal(2)
    rest, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, rest
    assert "Traceback" not in rest


def test_a_taken_port_is_named_with_what_to_do(taken_port):
    done = run("--port", str(taken_port))
    assert done.returncode == 1
    assert f"Port {taken_port} is already in use" in done.stderr
    assert f"viterbi-lab --port {taken_port + 1}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["-1", "65536", "http", "5006.0", "٥٠٠٦"])
def test_what_is_not_a_port_is_refused_with_the_range(text, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["serve", f"--port={text}"])
    assert ended.value.code == 2
    assert "0..65535" in capsys.readouterr().err


def test_version_prints_the_version(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"viterbi-lab {viterbi_lab.__version__}\n"


def test_help_names_every_command(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    assert "serve" in text
    assert "check" in text


def test_check_finds_everything_in_order_here(capsys):
    assert cli.main(["check"]) == 0
    text = capsys.readouterr().out
    assert "FAIL" not in text
    for wanted in ("numba", "clarabel", "kernel cache", "assets/genes"):
        assert wanted in text


def test_check_names_what_is_missing_and_fails(capsys, monkeypatch):
    monkeypatch.setattr(check, "DISTRIBUTIONS", (*check.DISTRIBUTIONS, "no-such-package"))
    assert cli.main(["check"]) == 1
    assert "FAIL  no-such-package              not installed" in capsys.readouterr().out


def test_check_fails_without_a_place_for_compiled_kernels(capsys, monkeypatch):
    monkeypatch.setattr(check, "cache_directory", lambda: None)
    assert cli.main(["check"]) == 1
    assert "no private folder can be written" in capsys.readouterr().out
