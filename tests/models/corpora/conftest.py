"""A file server with a script, and a corpus that it serves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import attrs
import pytest

from gapless.plugins import Plugins
from gapless_models.corpora import registry
from gapless_models.corpora.registry import OpenCorpus

COMMIT = "0123456789" * 4
CONTENT = {
    "train.conllu": b"1\tA\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 4000,
    "test.conllu": b"1\tB\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 2000,
    "LICENSE.txt": b"Do what you like.\n",
}


@attrs.define
class Server:
    """Requests to it, and its answers.

    Attributes
    ----------
    address : str
    script : dict
        For a file's name: what to do with the first requests for it; then it is served.
    asked : list of str
        Names of files, in the order of the requests.
    content : dict
        Of the files.
    """

    address: str = ""
    script: dict[str, list[int | str | Callable[[], None]]] = attrs.Factory(dict)
    asked: list[str] = attrs.Factory(list)
    content: dict[str, bytes] = attrs.Factory(lambda: CONTENT)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Serve one request."""
        name = request.path.rpartition("/")[2]
        self.asked.append(name)
        content = CONTENT[name]
        turns = self.script.get(name, [])
        match turns.pop(0) if turns else "serve":
            case int(code):
                request.send_error(code)
                return
            case "redirect":
                request.send_response(302)
                request.send_header("Location", f"{self.address}/elsewhere/{name}")
                request.end_headers()
                return
            case "wrong":
                content = content[:-2] + b"?\n"
                sent = content
            case "half":  # the connection is closed early: Content-Length promises more
                sent = content[: len(content) // 2]
            case "serve":
                sent = content
            case during:
                sent = content[: len(content) // 2]
                self._send(request, len(content), sent)
                during()
                return
        self._send(request, len(content), sent)

    def _send(self, request: BaseHTTPRequestHandler, length: int, sent: bytes) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(length))
        request.end_headers()
        request.wfile.write(sent)
        request.wfile.flush()


@pytest.fixture
def server():
    it = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            it.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        listening.daemon_threads = True
        it.address = f"http://127.0.0.1:{listening.server_port}"
        thread = threading.Thread(target=listening.serve_forever, args=(0.01,))
        thread.start()
        yield it
        listening.shutdown()
        thread.join()


@pytest.fixture
def corpus(monkeypatch):
    """The only one that is known."""
    one = OpenCorpus(
        name="mini",
        title="A corpus for tests",
        languages="None",
        version="1",
        kind="treebank",
        repository="owner/mini",
        commit=COMMIT,
        licence="CC-BY-NC-SA-4.0",
        licence_url="https://creativecommons.org/licenses/by-nc-sa/4.0/",
        citation="Nobody 2026",
        files=[
            {"name": name, "path": f"the data/{name}", "bytes": len(content), "sha256": sha256(content).hexdigest()}
            for name, content in CONTENT.items()
        ],
    )
    monkeypatch.setattr(registry, "known", lambda: {"mini": one})
    return one


@pytest.fixture(autouse=True)
def nothing_of_the_user(tmp_path, monkeypatch):
    """No corpora, no plug-ins that offer some, no mirror and no proxy of whoever runs the tests."""
    monkeypatch.setattr(registry, "load_plugins", lambda: Plugins(()))
    for variable in ("GAPLESS_DATA", "GAPLESS_DATA_MIRROR", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GAPLESS_CACHE", str(tmp_path / "cache"))
