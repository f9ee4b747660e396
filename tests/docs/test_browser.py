"""The page "In the browser": its wheel without SCIP and kernels, its Python, and the page itself in Chromium."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import chromium
import numpy as np
import pytest

import gapless as gl
import gapless_kernels._arguments as arguments
from gapless_chains import ChainProblem

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/browser.md"
STATIC = ROOT / "docs/_static/browser"
LOCAL = os.environ.get("GAPLESS_PYODIDE", "")
MOST = 15e6
"""Bytes that a visitor may be asked to download."""
SENTENCE = "This clever lawyer found a key early that was very large."
LABELS = {
    "kind": "label",
    "words": ["time", "flies", "like"],
    "labels": ["NOUN", "VERB"],
    "unary": [[2, 1], [1.2, 1], [-1, 1.1]],
    "transition": [[0, 1], [-0.5, -1.5]],
}


def _build():
    spec = spec_from_file_location("browser_build", ROOT / "docs/browser/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from build import build_wheel; from pathlib import Path; "
    run(code + "build_wheel(Path(sys.argv[2]))", str(ROOT / "docs/browser"), str(folder), cwd=ROOT)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    """The wheel and, by links, NumPy, attrs and pluggy: no other package can be imported from there."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for name in ("numpy", "attr", "attrs", "pluggy"):
        found = find_spec(name)
        assert found is not None
        assert found.origin is not None
        place = Path(found.origin).parent
        for one in (place, *place.parent.glob(f"{name}-*.dist-info"), *place.parent.glob(f"{name}.libs")):
            (folder / one.name).symlink_to(one)
    return folder


def run(code, *words, cwd, **environment):
    """Run code in an interpreter without site-packages (-S) whose path `environment` gives."""
    flags = ["-S"] if "PYTHONPATH" in environment else []
    done = subprocess.run(
        [sys.executable, *flags, "-W", "ignore", "-c", code, *words],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_wheel_is_for_every_machine_and_asks_for_no_scip_in_browsers(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        asked = re.findall(r"^Requires-Dist: (pyscipopt.*)$", archive.read(metadata).decode(), re.MULTILINE)
    assert not [name for name in names if name.endswith((".so", ".pyx", ".c"))]
    assert len(asked) == 1
    assert re.search(r"""; sys_platform != ['"]emscripten['"]$""", asked[0])


def test_what_is_downloaded_is_listed_and_small(wheel):
    files = _build().pyodide(wheel.parent, None)
    assert all(re.fullmatch(r"https://cdn\.jsdelivr\.net/\S+", file["url"]) for file in files)
    assert all(re.fullmatch(r"[0-9a-f]{64}", file["sha256"]) for file in files)
    assert sum(file["transferred"] for file in files) + wheel.stat().st_size < MOST - 1e6  # a million for models


@pytest.mark.skipif(not LOCAL, reason="needs a local copy of Pyodide 0.29.3, named by GAPLESS_PYODIDE")
def test_checksums_are_those_of_pyodides_own_lock():
    lock = json.loads((Path(LOCAL) / "pyodide-lock.json").read_text("utf-8"))["packages"]
    locked = {one["file_name"]: one["sha256"] for one in lock.values()}
    for base, name, size, _, checksum in _build().PYODIDE:
        if base == _build().CORE:
            content = (Path(LOCAL) / name).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (size, checksum)
        else:
            assert locked[name] == checksum


def test_a_missing_local_file_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"lacks pyodide\.mjs, .*numpy"):
        _build().pyodide(tmp_path, tmp_path)


def test_the_wheel_solves_and_verifies_without_scip_kernels_and_networkx(unpacked):
    code = """
import sys, json, numpy as np, gapless as gl, gapless_kernels
from gapless_chains import ChainProblem
from gapless_dependency import Grandchild, ParsingProblem
rng = np.random.default_rng(0)
chain = ChainProblem(rng.normal(size=(7, 5)), rng.normal(size=(5, 5)))
parse = ParsingProblem(rng.normal(size=(6, 6)), factors=[Grandchild(rng.normal(size=(6, 6, 6)))])
results = [(gl.solve(problem), problem) for problem in (chain, parse)]
assert all(result.proved and result.verify(problem) for result, problem in results)
assert not gapless_kernels.COMPILED
assert not {"pyscipopt", "networkx", "scipy"} & sys.modules.keys()
try:
    gl.solve(parse, "price-and-cut")
except gl.GaplessError as error:
    assert "a linear program needs SCIP: pip install pyscipopt" in str(error)
else:
    raise AssertionError("there is no SCIP to solve with")
print(json.dumps([result.value for result, _ in results]))
"""
    values = json.loads(run(code, cwd=unpacked, PYTHONPATH=str(unpacked), GAPLESS_PURE="1"))
    rng = np.random.default_rng(0)
    chain = ChainProblem(rng.normal(size=(7, 5)), rng.normal(size=(5, 5)))
    assert values[0] == pytest.approx(gl.solve(chain, "viterbi").value)


def test_browsers_choose_the_twins_by_themselves(unpacked):
    code = "import sys; sys.platform = 'emscripten'; import gapless_kernels; print(gapless_kernels.COMPILED)"
    environment = {"PYTHONPATH": str(unpacked), "GAPLESS_PURE": ""}
    assert run(code, cwd=unpacked, **environment) == "False\n"


def test_twins_take_the_indices_of_32_bits_and_still_look_at_shapes(monkeypatch):
    narrow = np.zeros(3, np.int32)
    with pytest.raises(TypeError, match="must be int64"):
        arguments.check_array("x", narrow, (3,), np.int64)
    monkeypatch.setattr(arguments, "INDEX", np.dtype(np.int32))
    arguments.check_array("x", narrow, (3,), np.int64)
    with pytest.raises(ValueError, match="must have shape"):
        arguments.check_array("x", narrow, (4,), np.int64)
    with pytest.raises(TypeError, match="must be float64"):
        arguments.check_array("x", narrow, (3,), np.float64)


def test_the_page_shows_its_parts_and_keeps_its_files_small():
    text = PAGE.read_text("utf-8")
    for name in ("page.css", "page.js"):
        assert f"_static/browser/{name}" in text
        assert (STATIC / name).is_file()
    assert sum(file.stat().st_size for file in STATIC.iterdir()) < 40_000


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The page as the site has it, Pyodide from the local folder (or none)."""
    site = tmp_path_factory.mktemp("site")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from build import build; from pathlib import Path; "
    files = site / "browser-files"
    local = f"Path({LOCAL!r})" if LOCAL else "None"
    run(code + f"build(Path(sys.argv[2]), {local})", str(ROOT / "docs/browser"), str(files), cwd=ROOT)
    shutil.copytree(STATIC, site / "_static/browser")
    elements = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("<")]
    head = '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    icon = '<link rel="icon" href="data:,"><body>'
    (site / "browser.html").write_text("\n".join([head, icon, *elements]), "utf-8")
    return site


def answers(built, questions, **environment):
    """The answers of the page's Python outside a browser."""
    code = "import sys, json; exec(open(sys.argv[1]).read()); print(json.dumps([json.loads(answer(json.dumps(q))) "
    code += "for q in json.loads(sys.argv[2])]))"
    printed = run(code, str(STATIC / "solve.py"), json.dumps(questions), cwd=built / "browser-files", **environment)
    return json.loads(printed)


@pytest.mark.long
def test_the_pages_python_answers_without_scip_as_the_kernels_do(built, unpacked):
    questions = [{"kind": "parse", "text": SENTENCE}, LABELS]
    refused = [
        {"kind": "parse", "text": "  "},
        {"kind": "parse", "text": "word " * 26},
        {**LABELS, "unary": [[1, 2]]},
        {"kind": "dance"},
    ]
    pure = answers(built, questions + refused, PYTHONPATH=str(unpacked), GAPLESS_PURE="1")
    for ours, compiled in zip(pure[:2], answers(built, questions), strict=True):
        assert ours["holds"]
        assert ours["gap"] <= 1e-9
        assert ours["value"] == pytest.approx(compiled["value"])
        assert ours["drawing"].startswith("<svg ")
    reasons = [one["refused"] for one in pure[2:]]
    for reason, said in zip(reasons, ("no word", "26 words", "3 words", "no such question"), strict=True):
        assert re.search(said, reason)


class _Site(SimpleHTTPRequestHandler):
    """Serves a folder compressed, as sites do, and counts what it sends."""

    sent = 0
    damaged = ""

    def log_message(self, *_):
        """Nothing."""

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        if path.name == type(self).damaged:
            content = content[:-1] + b"?"
        small = gzip.compress(content, 6)
        type(self).sent += len(small)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(small)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(small)


@pytest.fixture(scope="module")
def page(built, tmp_path_factory):
    """Chromium and the address of the page."""
    if not LOCAL:
        pytest.skip("needs a local copy of Pyodide 0.29.3 with NumPy, attrs and pluggy, named by GAPLESS_PYODIDE")
    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Site, directory=str(built)))
    threading.Thread(target=served.serve_forever, daemon=True).start()
    with chromium.chromium(tmp_path_factory.mktemp("browser")) as browser:
        yield browser, f"http://127.0.0.1:{served.server_port}/browser.html"
    served.shutdown()
    served.server_close()


def part(browser, name):
    return browser.find_element("css selector", f'[data-part="{name}"]')


def press(browser, button):
    """A click, wherever the button is: the theme's header may lie over it."""
    assert button.is_displayed()
    assert button.is_enabled()
    browser.execute_script("arguments[0].click()", button)


def waiting(browser):
    """Patience with a browser beside busy processes; the page itself ends what takes too long."""
    support = pytest.importorskip("selenium.webdriver.support.ui")
    return support.WebDriverWait(browser, 300, 0.1)


def wait(browser, *said):
    """The page's status once it begins with one of the words."""
    begins = said or ("Solved",)
    waiting(browser).until(lambda _: part(browser, "status").text.startswith(begins))
    return str(part(browser, "status").text)


def loaded(browser, address):
    """The page, started unless it is."""
    if browser.current_url != address or not part(browser, "questions").is_displayed():
        browser.get(address)
        wait_for_list(browser)
        press(browser, part(browser, "start"))
        wait(browser)


def wait_for_list(browser):
    waiting(browser).until(lambda _: part(browser, "start").is_displayed())


@pytest.mark.long
def test_a_visitor_is_asked_first_then_sees_a_sentence_proved(page, built):
    browser, address = page
    _Site.sent = 0
    browser.get(address)
    wait_for_list(browser)
    assert _Site.sent < 100_000  # nothing but the page and the list of files
    promised = float(re.search(r"([\d.]+) MB to download", part(browser, "size").text)[1])
    press(browser, part(browser, "start"))
    assert "Solved" in wait(browser)
    assert _Site.sent < MOST
    assert _Site.sent / 1e6 == pytest.approx(promised, abs=0.2)
    (native,) = answers(built, [{"kind": "parse", "text": SENTENCE}])
    facts = part(browser, "facts").text.split("\n")
    assert facts[:2] == ["Value", f"{native['value']:.3f}"]
    assert "Certificate" in facts
    assert facts[facts.index("Certificate") + 1].startswith("holds: ")
    assert part(browser, "drawing").find_element("tag name", "svg").is_displayed()
    assert browser.get_log("browser") == []


@pytest.mark.long
def test_scores_are_solved_as_the_kernels_do(page, built):
    browser, address = page
    loaded(browser, address)
    rng = np.random.default_rng(0)
    questions = [
        {
            "kind": "label",
            "words": [f"w{i}" for i in range(n)],
            "labels": [f"l{i}" for i in range(k)],
            "unary": rng.normal(size=(n, k)).round(2).tolist(),
            "transition": rng.normal(size=(k, k)).round(2).tolist(),
        }
        for n, k in ((1, 2), (4, 3), (9, 5), (25, 12))
    ]
    sentences = ("She liked the roof of a hotel.", "The driver and the old farmer sold a house.", "Unseen")
    questions += [{"kind": "parse", "text": text} for text in sentences]
    script = """
    const [question, done] = arguments;
    const worker = window.gaplessWorker;
    worker.addEventListener("message", ({data}) => done(data), {once: true});
    worker.postMessage(question);
    """
    browser.set_script_timeout(300)
    for question, native in zip(questions, answers(built, questions), strict=True):
        found = browser.execute_async_script(script, question)
        assert found.get("holds"), found
        assert found["value"] == pytest.approx(native["value"], abs=1e-9)
        assert found["bound"] == pytest.approx(native["bound"], abs=1e-6)


@pytest.mark.long
def test_the_table_follows_words_and_labels_and_refusals_are_reported(page):
    browser, address = page
    loaded(browser, address)
    press(browser, part(browser, "to-scores"))
    words = browser.find_element("id", "gb-words")
    words.clear()
    words.send_keys("one two")
    assert len(part(browser, "unary").find_elements("css selector", "tbody tr")) == 2
    press(browser, part(browser, "scores").find_element("css selector", "button"))
    wait(browser)
    words.clear()
    press(browser, part(browser, "scores").find_element("css selector", "button"))
    assert wait(browser, "Write") == "Write at least one word and two labels."
    press(browser, part(browser, "to-sentence"))
    text = browser.find_element("id", "gb-text")
    text.clear()
    press(browser, part(browser, "sentence").find_element("css selector", "button"))
    assert "type a sentence" in wait(browser, "there is no word")
    assert not part(browser, "answer").is_displayed()
    text.send_keys(SENTENCE)
    press(browser, part(browser, "sentence").find_element("css selector", "button"))
    wait(browser)


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(page, scheme):
    browser, address = page
    chromium.use_screen(browser, (390, 800), scheme, mobile=True)
    browser.get("about:blank")  # what other tests have typed is gone
    loaded(browser, address)
    for kind in ("sentence", "scores"):
        press(browser, part(browser, f"to-{kind}"))
        press(browser, part(browser, kind).find_element("css selector", "button"))
        wait(browser)
        assert browser.execute_script("return document.scrollingElement.scrollWidth <= innerWidth")
        assert part(browser, "facts").is_displayed()
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.long
def test_a_file_that_was_changed_on_the_way_is_refused(page, monkeypatch):
    browser, address = page
    monkeypatch.setattr(_Site, "damaged", "attrs-25.2.0-py3-none-any.whl")
    browser.get(address)
    wait_for_list(browser)
    press(browser, part(browser, "start"))
    assert "is not the file that this page was made with" in wait(browser, "It did not work")
    assert part(browser, "start").text == "Try again"
    monkeypatch.setattr(_Site, "damaged", "")
    press(browser, part(browser, "start"))
    wait(browser)
