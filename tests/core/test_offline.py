from __future__ import annotations

import json
import os
import subprocess
import sys

from core.paths import PROGRAM

SHOW = "import json, os; from core.offline import force_offline; force_offline(); print(json.dumps([dict(os.environ), os.umask(0)]))"


def environment_after(**before: str) -> tuple[dict[str, str], int]:
    command = [sys.executable, "-c", SHOW]
    done = subprocess.run(command, env={**os.environ, **before}, cwd=PROGRAM, capture_output=True, text=True, check=True, encoding="utf-8")
    environment, umask = json.loads(done.stdout)
    return environment, umask


def test_hubs_and_telemetry_are_off() -> None:
    environment, _ = environment_after(HF_HUB_OFFLINE="0", LANGSMITH_TRACING="true", LANGCHAIN_TRACING_V2="true")

    assert environment["HF_HUB_OFFLINE"] == environment["TRANSFORMERS_OFFLINE"] == environment["DO_NOT_TRACK"] == "1"
    assert environment["LANGSMITH_TRACING"] == environment["LANGCHAIN_TRACING_V2"] == "false"


def test_tracing_keys_and_addresses_of_other_work_are_gone() -> None:
    environment, _ = environment_after(
        LANGSMITH_API_KEY="secret", LANGCHAIN_ENDPOINT="https://trace.example", OTEL_EXPORTER_OTLP_ENDPOINT="x"
    )

    assert not {"LANGSMITH_API_KEY", "LANGCHAIN_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} & set(environment)


def test_what_the_process_writes_is_for_its_owner_alone() -> None:
    _, umask = environment_after()

    assert umask == 0o077
