"""A tab that closes too early or speaks too late is no error of the program, and every other error is."""

import logging
import sys

import pytest
from bokeh.server.connection import ServerConnection
from tornado.websocket import WebSocketClosedError

from viterbi_lab.ui.views.server import LATE, LateMessage, keep_tracebacks_here


def record_of(fail):
    try:
        fail()
    except (AssertionError, WebSocketClosedError):
        return logging.LogRecord("x", logging.ERROR, __file__, 1, "Uncaught", (), sys.exc_info())
    raise RuntimeError("It did not fail.")


def without_session():
    connection = ServerConnection.__new__(ServerConnection)
    connection._session = None
    return connection.session


def elsewhere():
    raise AssertionError


def told():
    raise WebSocketClosedError


def test_a_message_without_its_session_is_not_logged_and_another_failure_is():
    assert not LateMessage().filter(record_of(without_session))
    assert not LateMessage().filter(record_of(told))
    assert LateMessage().filter(record_of(elsewhere))


@pytest.mark.parametrize("name", LATE)
def test_all_who_log_it_are_filtered(name):
    keep_tracebacks_here()
    assert any(isinstance(one, LateMessage) for one in logging.getLogger(name).filters)
