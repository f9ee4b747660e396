"""Options ``--backend`` and ``--cluster``: the workers of a command with ``--jobs``."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from gapless.cli.console import Console
from gapless.errors import GaplessError, MissingDependency, UnknownOption

BACKENDS = ("loky", "threading", "dask", "ray")
CLUSTERS = ("dask", "ray")


def add_backend_options(parser: argparse.ArgumentParser) -> None:
    """Add the options, except those that a task has defined itself."""
    known = parser._option_string_actions
    if "--backend" not in known:
        parser.add_argument(
            "--backend",
            choices=BACKENDS,
            help="who works for --jobs: processes (loky, the default), threads, a cluster",
        )
    if "--cluster" not in known:
        parser.add_argument("--cluster", metavar="ADDRESS", help="the cluster of --backend dask or ray")


@contextlib.contextmanager
def chosen_backend(parsed: argparse.Namespace, console: Console) -> Iterator[None]:
    """Select the workers of ``--backend`` within the block.

    Raises `MissingDependency`: joblib, distributed or ray is not installed. `UnknownOption`: an address without a
    cluster, or Dask without an address. `GaplessError`: the cluster does not answer.
    """
    backend, address = getattr(parsed, "backend", None), getattr(parsed, "cluster", None)
    if address and backend not in CLUSTERS:
        raise UnknownOption("--cluster ADDRESS is for --backend dask or ray")
    if backend == "dask" and not address:
        raise UnknownOption("--backend dask needs --cluster ADDRESS, its scheduler's, such as tcp://HOST:8786")
    if backend is None:
        yield
        return
    if parsed.jobs == 1:
        console.notice(f"gapless: with --jobs 1 all stays in this process, --backend {backend} does nothing")
    with contextlib.ExitStack() as stack:
        try:
            if backend == "dask":
                stack.enter_context(_dask(address))
            elif backend == "ray":
                stack.enter_context(_ray(address))
            import joblib  # noqa: PLC0415  an extra

            stack.enter_context(joblib.parallel_config(backend=backend))
        except ImportError as error:
            wanted = "ray" if backend == "ray" else "'gapless[distributed]'"
            raise MissingDependency(f"--backend {backend} needs {error.name}: pip install {wanted}") from error
        yield


@contextlib.contextmanager
def _dask(address: str | None) -> Iterator[Any]:
    from distributed import Client  # noqa: PLC0415  an extra

    try:
        client: Any = Client(address, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise GaplessError(f"--cluster {address}: no Dask scheduler answers there ({error})") from error
    with client:
        yield client


@contextlib.contextmanager
def _ray(address: str | None) -> Iterator[None]:
    import ray  # noqa: PLC0415  not among our extras: its wheels are large
    from ray.util.joblib import register_ray  # noqa: PLC0415

    register_ray()
    try:
        ray.init(address=address, log_to_driver=False)
    except ConnectionError as error:
        raise GaplessError(f"--cluster {address}: no Ray cluster answers there ({error})") from error
    try:
        yield
    finally:
        ray.shutdown()
