"""Names that a package imports on first access: the same from its source and, without one, from its bytecode."""

import importlib
import py_compile
import sys

import pytest

PACKAGE = """
from typing import TYPE_CHECKING

from gapless.lazy import lazy_names

if TYPE_CHECKING:
    from {package}.numbers import (  # all that counts
        One as One,
        Two as Two,  # the second, and the last
        # A line of its own, before Three as Three.
        Three as Three,
    )
    from {package}.words import hello as hello  # noqa: F401
    from {package}.words import hi as hi, bye as bye

__getattr__, __dir__, __all__ = lazy_names(__name__, "numbers")
"""
EXPORTED = ["One", "Three", "Two", "bye", "hello", "hi"]


@pytest.mark.parametrize("has_source", [True, False])
def test_names_are_exported_with_comments_beside_them_and_without_source(tmp_path, monkeypatch, has_source):
    package = f"tiny_package_{'source' if has_source else 'bytecode'}"
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE.format(package=package))
    (folder / "numbers.py").write_text("One, Two, Three = 1, 2, 3\n")
    (folder / "words.py").write_text("hello, hi, bye = 'hello', 'hi', 'bye'\n")
    if not has_source:
        for file in list(folder.glob("*.py")):
            py_compile.compile(file, cfile=file.with_suffix(".pyc"), doraise=True)
            file.unlink()
    monkeypatch.syspath_prepend(tmp_path)
    try:
        module = importlib.import_module(package)
        assert module.__file__.endswith(".py" if has_source else ".pyc")
        assert module.__all__ == EXPORTED
        assert set(EXPORTED) <= set(dir(module))
        assert [getattr(module, name) for name in EXPORTED] == [1, 3, 2, "bye", "hello", "hi"]
        with pytest.raises(AttributeError, match="no attribute 'Four'"):
            _ = module.Four
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            del sys.modules[name]
