"""A browser without a window: what it makes of a page, and pictures of it."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

# In the order in which they are looked for. ./dev test deep installs Debian's chromium-headless-shell.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


def find():
    """The path of a browser; None: there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def _run(page: Path, *options, width=1280, height=900):
    command = [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-lcd-text",
               "--timeout=10000"]  # fmt: skip
    size = f"--window-size={width},{height}"
    result = subprocess.run(
        [*map(str, command), size, *options, page.resolve().as_uri()], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def evaluate(page: Path, script: str, **size):
    """What `script`, the body of a JavaScript function, returns in the loaded page, as JSON gives it; and the errors of
    the page's own scripts."""
    text = page.read_text(encoding="utf-8")
    watch = (
        "<script>window.errors = []; window.addEventListener('error', e => errors.push(String(e.message)));</script>"
    )
    tell = (
        "<script>const found = (function () {" + script + "})();"
        "const told = document.createElement('pre'); told.id = 'told';"
        "told.textContent = JSON.stringify({ found, errors }); document.body.append(told);</script>"
    )
    changed = page.with_name("evaluated-" + page.name)
    changed.write_text(text.replace("<head>", "<head>" + watch).replace("</body>", tell + "</body>"), encoding="utf-8")
    dom = _run(changed, "--dump-dom", **size)
    told = json.loads(html.unescape(re.search(r'<pre id="told">(.*?)</pre>', dom, re.S).group(1)))
    return told["found"], told["errors"]


def picture(page: Path, path: Path, **size):
    """Writes a PNG of the page's first screen."""
    path.unlink(missing_ok=True)
    _run(page, f"--screenshot={path}", **size)
    assert path.read_bytes().startswith(b"\x89PNG"), f"the browser has made no picture of {page}"
