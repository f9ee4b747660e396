"""Take the picture of a report: ``python docs/figures/report.py``. Needs selenium and chromium.

The picture is of the embedded tagger's run, its errors and the hardest answer open.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from pathlib import Path

from selenium import webdriver

OUT = Path(__file__).with_name("report.png")
WIDTH, HEIGHT = 1000, 1500
SHOWN = """
for (const id of ["tables", "figures", "documents", "details"]) document.getElementById(id)?.remove();
document.querySelector(".facts").remove();
const matrix = document.querySelector("#errors .confusion").closest(".scroll");
for (const one of document.querySelectorAll("#errors .scroll")) if (one !== matrix) one.remove();
document.getElementById("listed").style.maxHeight = "420px";
const errors = document.getElementById("errors-of");
errors.value = "some";
errors.dispatchEvent(new Event("change"));
document.querySelectorAll(".words-of")[1].click();
"""


def main() -> None:
    """Run the tagger, write its report, and take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        run = ["-m", "gapless", "run", "pos-tagging", "--data", "", "--method", "viterbi", "--report", str(page)]
        subprocess.run([sys.executable, *run], check=True)  # noqa: S603  our own command
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        browser = webdriver.Chrome(options=options)
        try:
            metrics = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            browser.get(page.as_uri())
            browser.execute_script(SHOWN)
            picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
            OUT.write_bytes(base64.b64decode(picture["data"]))
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
