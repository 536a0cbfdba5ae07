"""JupyterLab in Chromium: the same 3-second drag at 60 events a second, one view after another.

    PYTHONPATH=tests python -m benchmarks.browser

Prints, for each view: pictures that reached the page, milliseconds from the last event to the
final picture, and kilobytes received.
The empty view, a slider that changes a short text, is what the front end itself can do.
"""

import shutil
import tempfile
import time
from pathlib import Path

import nbformat
from lab import Lab, Server, start_chromium
from playwright.sync_api import sync_playwright

from benchmarks.views import VIEWS, cell

SECONDS, RATE, SIZE = 3, 60, 6
WATCH = """() => {
    window.arrived = [];
    const note = () => arrived.push(performance.now());
    const output = document.querySelector('.jp-Notebook .jp-OutputArea');
    const changes = records => {
        for (const {type, target, addedNodes} of records) {
            if (type === 'attributes' && target.tagName === 'IMG') note();
            for (const node of addedNodes)
                if (node.tagName === 'IMG' || node.querySelector?.('img') || node.tagName === 'B')
                    note();
        }
    };
    new MutationObserver(changes).observe(
        output, {subtree: true, childList: true, attributes: true, attributeFilter: ['src']});
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (source, ...rest) {
        if (source instanceof HTMLImageElement) note();
        return draw.call(this, source, ...rest);
    };
}"""


def drag(page):
    """Drag the first slider from one end to the other; return when the last event was."""
    bar = page.locator(".widget-slider .noUi-target").first.bounding_box()
    handle = page.locator(".widget-slider .noUi-handle").first.bounding_box()
    y = handle["y"] + handle["height"] / 2
    page.mouse.move(handle["x"] + handle["width"] / 2, y)
    page.mouse.down()
    start, events = time.perf_counter(), SECONDS * RATE
    for number in range(events + 1):
        due = start + number / RATE
        if number < events and time.perf_counter() > due + 1 / RATE:
            continue  # the page is busy; a hand does not wait for it
        time.sleep(max(0, due - time.perf_counter()))
        page.mouse.move(bar["x"] + bar["width"] * number / events, y)
    last = page.evaluate("performance.now()")
    page.mouse.up()
    return last


def measure(server, browser, view):
    code = nbformat.v4.new_code_cell(cell(view, SIZE))
    code.metadata["jupyter"] = {"source_hidden": True}  # the slider stays on the screen
    notebook = nbformat.v4.new_notebook(cells=[code])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, server.root / "bench.ipynb")
    lab, received = Lab(server, browser), []
    lab.page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda payload: received.append(len(payload))),
    )
    lab.open("bench.ipynb")
    lab.run_all()
    lab.page.wait_for_selector(".widget-slider .noUi-handle")
    time.sleep(2)
    lab.page.evaluate(WATCH)
    received.clear()
    last = drag(lab.page)
    time.sleep(2)
    arrived = lab.page.evaluate("arrived")
    lab.close()
    lab.page.close()
    if not arrived:
        raise RuntimeError(f"no picture of {view} reached the page")
    return len(arrived), max(0, arrived[-1] - last), sum(received) / 1000


def main(rounds=3):
    results = {view: [] for view in VIEWS}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        with Server(Path(folder)) as server, sync_playwright() as playwright:
            browser = start_chromium(playwright, shutil.which("chromium"))
            for _ in range(rounds):
                for view in VIEWS:
                    results[view].append(measure(server, browser, view))
            browser.close()
    middle = {
        view: [sorted(c)[rounds // 2] for c in zip(*r, strict=True)] for view, r in results.items()
    }
    print(f"{'':17} {'pictures':>9} {'of empty':>9} {'last (ms)':>10} {'kB':>7}")
    for view, (pictures, last, kilobytes) in middle.items():
        share = pictures / middle["empty view"][0]
        print(f"{view:17} {pictures:9.0f} {share:9.0%} {last:10.0f} {kilobytes:7.0f}")


if __name__ == "__main__":
    main()
