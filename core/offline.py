"""No library calls out behind our back: the first thing every entry point does, before any other import.

from core.offline import force_offline

force_offline()
"""

from __future__ import annotations

import os

OWNER_ONLY = 0o077
"""The umask of every process of the app: what it writes is readable by its owner alone."""

_SWITCHES = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ANONYMIZED_TELEMETRY": "false",
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "TOKENIZERS_PARALLELISM": "false",
}
# A person who traces other work has these set; a key or an endpoint here would send questions away.
_FOREIGN = ("LANGSMITH_", "LANGCHAIN_", "OTEL_")


def force_offline() -> None:
    """Switch hubs, telemetry and tracing off for this process and its children, and keep its files private."""
    for name in [name for name in os.environ if name.upper().startswith(_FOREIGN)]:
        del os.environ[name]
    os.environ.update(_SWITCHES)
    os.umask(OWNER_ONLY)
