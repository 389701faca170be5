from __future__ import annotations

import io

import pytest

from core.errors import ModelMissing, Permanent
from core.process.wire import WireError, encode, error_from_wire, error_to_wire, read_message


def test_a_message_comes_out_as_it_went_in() -> None:
    message = {"id": 1, "payload": {"text": "你好\n\u2028 \ud800 \x00", "number": 0.1}}

    line = encode(message)

    assert line.count(b"\n") == 1
    assert read_message(io.BytesIO(line)) == message


def test_the_end_of_the_stream_is_none() -> None:
    assert read_message(io.BytesIO(b"")) is None


@pytest.mark.parametrize("line", [b"hello\n", b"[1]\n", b'{"id": 1', b"\xff\xfe\n", b"\n", b"[" * 100_000 + b"\n"])
def test_anything_but_one_whole_object_is_refused(line: bytes) -> None:
    with pytest.raises(WireError):
        read_message(io.BytesIO(line))


def test_lines_over_the_limit_are_refused_on_both_sides() -> None:
    message = {"text": "x" * 100}

    with pytest.raises(WireError, match="limit"):
        encode(message, max_bytes=50)
    with pytest.raises(WireError, match="limit"):
        read_message(io.BytesIO(encode(message)), max_bytes=50)


def test_not_a_number_does_not_travel() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode({"score": float("nan")})


def test_an_error_travels_with_its_class_code_sentence_and_facts() -> None:
    error = error_from_wire(error_to_wire(ModelMissing("Not there.", path="/m", size=3)))

    assert type(error) is ModelMissing
    assert (error.message, error.code, dict(error.details)) == ("Not there.", "model_missing", {"path": "/m", "size": 3})


def test_an_unknown_error_class_becomes_a_permanent_error() -> None:
    error = error_from_wire({"kind": "SystemExit", "code": "odd", "message": "m", "details": {"code": "no", "list": []}})

    assert type(error) is Permanent
    assert error.code == "odd"
    assert dict(error.details) == {}


@pytest.mark.parametrize("data", [None, "error", {}, {"kind": 1, "code": "", "message": "", "details": {}}])
def test_a_malformed_error_is_refused(data: object) -> None:
    with pytest.raises(WireError):
        error_from_wire(data)
