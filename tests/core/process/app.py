"""A stand-in for the app: starts a child, tells its process id, and is then killed by the test. Run with the operation as argument."""

from __future__ import annotations

import sys
import threading

from core.cancel import CancelToken
from core.process.host import ChildProcess

if __name__ == "__main__":
    child = ChildProcess("tests.core.process.children", name="The child")
    events = child.request(sys.argv[1], {}, cancel=CancelToken())

    # The thread that asks first ends long before the app does.
    starter = threading.Thread(target=lambda: next(events))
    starter.start()
    starter.join()
    sys.stdout.write(f"{child.pid}\n")
    sys.stdout.flush()
    threading.Event().wait(60)
