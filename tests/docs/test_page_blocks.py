"""Outputs below blocks are those of the code above them."""

import traceback

import pytest
from page_blocks import Output, blocks, missing, run, shown

PAGE = """# A page

```python
x = 3
print("x is", x)
```

```sh
not run
```

```python
class Drawn:
    def _repr_html_(self):
        return f"<b>{x}</b>"


Drawn()
```

```python
print("before")
x + 1
```

```python
'<svg xmlns="http://www.w3.org/2000/svg"></svg>'
```

```python
y = "nothing to see <"
```
"""


def test_blocks_share_a_namespace_and_show_what_they_say():
    assert run(PAGE, "page.md") == [
        Output("x is 3\n"),
        Output(html="<b>3</b>"),
        Output("before\n4\n"),
        Output(html='<svg xmlns="http://www.w3.org/2000/svg"></svg>'),
        Output(),
    ]


def test_text_is_escaped_and_silence_leaves_no_box():
    assert shown(Output("a < b\n")) == '<div class="block-output"><pre>a &lt; b</pre></div>'
    assert "<b>3</b>" in shown(Output(html="<b>3</b>"))
    assert shown(Output(" \n")) == ""


def test_an_error_names_the_line_of_the_page():
    page = "# A page\n\n```python\nx = 1\n\nassert x == 2\n```\n"
    with pytest.raises(AssertionError) as error:
        run(page, "page.md")
    assert traceback.extract_tb(error.value.__traceback__)[-1].lineno == 6
    assert list(blocks(page)) == [(4, "x = 1\n\nassert x == 2\n")]


def test_a_page_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(__import__("page_blocks").OPTIONAL, "not_installed", "pip install it")
    assert missing("```python\nimport not_installed\n```\n") == "needs not_installed: pip install it"
    assert missing("```python\nimport json\n```\n") is None
