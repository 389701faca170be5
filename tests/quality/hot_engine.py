"""The chat child process with a model that draws its words by chance, hot enough to say anything. Run by `engine_speed`."""

from __future__ import annotations

import os
from collections.abc import Iterator

from core.cancel import CancelToken
from core.process.child import Operation, serve
from core.process.wire import Json
from models.backends.llama_cpp_host import LlamaCppHost


def heated(host: LlamaCppHost, operation: Operation) -> Operation:
    """The operation, with the temperature set before it begins."""

    def run(payload: Json, cancel: CancelToken) -> Iterator[Json]:
        for _loaded in host.load(payload, cancel):
            pass
        assert host.engine is not None
        host.engine.temperature = float(os.environ["LAMPLIGHT_TEMPERATURE"])
        yield from operation(payload, cancel)

    return run


if __name__ == "__main__":
    hot = LlamaCppHost()
    serve({"reply": heated(hot, hot.reply), "choose": heated(hot, hot.choose), "stream": heated(hot, hot.stream)})
