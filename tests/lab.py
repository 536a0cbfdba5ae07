"""A JupyterLab of its own, seen through Chromium as a reader sees it.

The page shows one notebook at a time; `View` moves an explorer on it and in mhalib alike.
Nothing of the person who runs this is read or written, and nobody is asked but this machine.
"""

import contextlib
import hashlib
import importlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from importlib.util import find_spec
from urllib.error import URLError
from urllib.request import urlopen

import drive
import nbformat
import numpy as np
import pytest
from ipywidgets import Button, FloatSlider, ToggleButton

from mhalib.live import WIDGET_VIEW
from mhalib.live.explorer import Explorer
from tools.home import ROOT

CHROMIUM = shutil.which("chromium")
BROWSER = CHROMIUM and find_spec("playwright")
HOW_TO_GET_IT = "a browser is missing: apt-get install chromium (and tests/requirements.txt)"
QUIET = {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True}
# The only addresses outside that a chapter names for pictures; they are answered here.
BADGES = {
    "https://colab.research.google.com/assets/colab-badge.svg",
    "https://mybinder.org/badge_logo.svg",
}
GOAL = re.compile(r"Goal (\d) of (\d):")
# What reaches out of an output sideways, would scroll in it, or has lost the end of its text.
OVERFLOW = """output => [...output.querySelectorAll('*'), output].filter(thing => {
    const at = thing.getBoundingClientRect(), edge = output.getBoundingClientRect();
    if (!at.width || thing.closest('.slider-container')) return false;  // tracks are shifted
    return at.right > edge.right + .5 || at.left < edge.left - .5
        || thing.tagName !== 'INPUT' && thing.clientWidth  // a box to type into scrolls
        && thing.scrollWidth > thing.clientWidth + 1;
}).map(thing => `${thing.tagName} ${(thing.textContent || thing.className).slice(0, 60)}`)"""


def start_chromium(playwright, path):
    """A browser that can ask no other machine and, as on a desk, shows scroll bars."""
    return playwright.chromium.launch(
        executable_path=path,
        args=[
            "--no-sandbox",  # in a container one is root
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        ],
        ignore_default_args=["--hide-scrollbars"],
    )


def until(condition, what, seconds=10):
    """Wait for a truthy answer and return it."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < end, f"After {seconds} s not yet: {what}"
        time.sleep(0.05)
    return answer


class Server:
    """JupyterLab on a copy of the notebooks; everything it keeps is inside `folder`."""

    def __init__(self, folder, **settings):
        self.root, self.home, self.log = folder / "root", folder / "home", folder / "log"
        self.copy_notebooks()
        kept = self.home / "settings/@jupyterlab/apputils-extension"
        kept.mkdir(parents=True)
        for plugin, values in ({"notification": QUIET} | settings).items():
            (kept / f"{plugin}.jupyterlab-settings").write_text(json.dumps(values))
        strange = ("JUPYTER_PATH", "JUPYTER_CONFIG_PATH", "JUPYTER_TOKEN")
        environment = {name: text for name, text in os.environ.items() if name not in strange}
        places = {
            "HOME": "",
            "IPYTHONDIR": "ipython",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "MHALIB_HOME": "mhalib",
        }
        environment |= {name: str(self.home / place) for name, place in places.items()}
        environment["PYTHONPATH"] = str(ROOT)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        command = [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.root}",
            "--IdentityProvider.token=",
            "--LabApp.extension_manager=readonly",
            "--LabApp.news_url=None",
            "--LabApp.expose_app_in_browser=True",  # how a test learns that cells have run
            # Should the tests be killed, kernels and server end by themselves.
            "--MappingKernelManager.cull_idle_timeout=60",
            "--MappingKernelManager.cull_interval=30",
            "--ServerApp.shutdown_no_activity_timeout=120",
        ]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def copy_notebooks(self):
        """As they are stored, whatever a run has made of the copies."""
        hidden = shutil.ignore_patterns(".*")
        shutil.copytree(ROOT / "notebooks", self.root, ignore=hidden, dirs_exist_ok=True)

    def __enter__(self):
        try:
            until(self._answers, "JupyterLab answers", 60)
        except AssertionError as error:
            self.__exit__()
            raise AssertionError(f"{error}\n{self.log.read_text()}") from None
        return self

    def _answers(self):
        assert self.process.poll() is None, "JupyterLab has ended."
        with contextlib.suppress(URLError, ConnectionError), urlopen(f"{self.url}/api") as answer:
            return answer.read()

    def __exit__(self, *_):
        self.process.terminate()  # it ends its kernels first
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Lab:
    """The page of a JupyterLab server: one notebook at a time, and every complaint."""

    def __init__(self, server, browser):
        self.server, self.notebook, self.has_run, self.complaints = server, None, False, []
        self.page = browser.new_page(viewport={"width": 1280, "height": 900})
        self.page.set_default_timeout(15_000)
        for badge in BADGES:
            self.page.route(badge, self._draw_badge)
        self.page.on("request", self._note_request)
        self.page.on("websocket", self._note_request)
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.goto(f"{server.url}/lab?reset")
        self.page.wait_for_function("window.jupyterapp?.restored.then(() => true)", timeout=60_000)
        self.page.evaluate("window.panel = null")

    def _draw_badge(self, route):
        empty = "<svg xmlns='http://www.w3.org/2000/svg' width='117' height='20'/>"
        route.fulfill(content_type="image/svg+xml", body=empty)

    def _note_request(self, request):
        here = (f"{self.server.url}/", f"ws{self.server.url[4:]}/", "blob:", "data:")
        if not request.url.startswith(here) and request.url not in BADGES:
            self.complaints.append(f"asked for {request.url[:200]}")

    def _note_message(self, message):
        if message.type == "error":
            self.complaints.append(f"console: {message.text} {message.location}")

    def open(self, notebook):
        """A fresh copy with a fresh kernel; no prediction of the series has been answered."""
        self.close()
        self.server.copy_notebooks()
        shutil.rmtree(self.server.home / "mhalib", ignore_errors=True)
        self.page.evaluate(
            """async path => {
                window.panel = await jupyterapp.commands.execute('docmanager:open', {path});
                await panel.context.ready;
                await panel.revealed;
            }""",
            notebook,
        )
        self._wait_for_kernel()
        self.notebook, self.has_run = notebook, False

    def close(self):
        """Close the notebook and end its kernel."""
        self.notebook = None
        self.page.evaluate(
            "panel && panel.sessionContext.shutdown().then(() => { panel.dispose(); panel = null })"
        )

    def _wait_for_kernel(self):
        self.page.wait_for_function("panel.sessionContext.session?.kernel?.status === 'idle'")

    def run_all(self):
        """Choose Run All in the menu; wait until every cell has run, or one has failed."""
        self.page.evaluate(
            """() => {
                window.cells = [...panel.content.model.cells].filter(
                    cell => cell.type === 'code' && cell.sharedModel.source.trim());
                window.ran = new Set();
                for (const cell of cells)
                    cell.stateChanged.connect((_, change) => {
                        if (change.name === 'executionCount' && change.newValue) ran.add(cell.id);
                    });
            }"""
        )
        self.page.click(".lm-MenuBar-item:has-text('Run')")
        self.page.click(".lm-Menu-item[data-command='runmenu:run-all']")
        self.page.wait_for_function(
            """ran.size === cells.length || cells.some(cell =>
                cell.outputs.toJSON().some(output => output.output_type === 'error'))""",
            timeout=60_000,
        )
        self._wait_for_kernel()
        self.has_run = True

    def show(self, notebook):
        """A notebook after Run All, in a wide window; left as it is if it is there already."""
        if self.notebook != notebook:
            self.open(notebook)
        if not self.has_run:
            self.run_all()
        self.resize(1280)

    def resize(self, width, height=900):
        """Change the window; a narrow one has no room for the side bar, which a click folds."""
        self.page.set_viewport_size({"width": width, "height": height})
        tabs = self.page.locator(".jp-SideBar.jp-mod-left .lm-TabBar-tab")
        opened = tabs.and_(self.page.locator(".lm-mod-current"))
        if (opened.count() > 0) != (width >= 600):
            (tabs if width >= 600 else opened).first.click()
        self.come_to_rest()

    def come_to_rest(self):
        """Wait until the page stands still: on a busy machine cells are laid out a little later."""
        self.page.evaluate(
            """async () => {
                const place = thing => [thing.scrollTop, thing.scrollHeight, thing.clientWidth];
                const look = () => [...document.querySelectorAll('.jp-WindowedPanel-outer')]
                    .flatMap(place).concat(document.querySelectorAll('.jp-Cell').length).join();
                let last = '', same = 0;
                for (let frame = 0; frame < 300 && same < 10; frame++) {
                    await new Promise(requestAnimationFrame);
                    same = look() === last ? same + 1 : 0;
                    last = look();
                }
            }"""
        )

    def outputs(self):
        """For each cell its outputs, in the form of a notebook file."""
        return self.page.evaluate(
            "[...panel.content.model.cells].map(cell => cell.outputs?.toJSON() ?? [])"
        )

    def output(self, number):
        """What the cell of this number shows, scrolled to the top of the page."""
        self.page.evaluate("number => panel.content.scrollToItem(number, 'start')", number)
        cell = f".jp-Notebook:visible .jp-Cell[data-windowed-list-index='{number}']"
        return self.page.locator(f"{cell} .jp-OutputArea-output")


def cells_with(notebook, pattern):
    """The numbers of a chapter's code cells whose source holds a pattern, and the cells."""
    cells = nbformat.read(ROOT / "notebooks" / notebook, as_version=4).cells
    found = {n: cell for n, cell in enumerate(cells) if re.search(pattern, cell.source)}
    return {n: cell for n, cell in found.items() if cell.cell_type == "code"}


def interactive_cells(notebook):
    """A chapter's cells that show an explorer or a prediction, by their numbers."""
    for folder in (ROOT / "mhalib/chapters").glob("*/__init__.py"):
        importlib.import_module(f"mhalib.chapters.{folder.parent.name}")
    makers = [made.__name__ for made in Explorer.__subclasses__()]
    makers += ["Prediction", "first_softmax", "one_budget"]
    return cells_with(notebook, rf"\b({'|'.join(makers)})\(")


def fresh_views(notebook):
    """A test: after Run All no cell has failed, and each view fits a wide page and a phone."""

    def test(quiet):
        quiet.show(notebook)
        outputs, cells = quiet.outputs(), interactive_cells(notebook)
        assert [o for cell in outputs for o in cell if o["output_type"] == "error"] == []
        assert cells
        for number, cell in cells.items():
            assert any(WIDGET_VIEW in o.get("data", {}) for o in outputs[number]), cell.source
            quiet.output(number).locator(".jupyter-widgets").first.wait_for()
            wait_for_pictures(quiet.output(number))
        for width in (1280, 400):
            quiet.resize(width)
            too_wide = {number: quiet.output(number).evaluate(OVERFLOW) for number in cells}
            assert too_wide == dict.fromkeys(cells, [])

    return test


def wait_for_pictures(output):
    """Until every picture in an output has a size."""
    empty = "images => images.filter(image => !image.naturalWidth).length"
    until(lambda: output.locator("img").evaluate_all(empty) == 0, "every picture is drawn")


def fingerprint(pixels):
    """That of an opaque picture's pixels (RGB), as `View.shown` takes it on the page."""
    opaque = np.full((*pixels.shape[:2], 4), 255, np.uint8)
    opaque[..., :3] = pixels
    return hashlib.sha256(opaque.tobytes()).hexdigest()


class View:
    """An explorer as a learner sees it on the page, beside its mirror: the same one in mhalib.

    A control is named by the mirror's: what is chosen, typed, dragged or pressed on the page
    happens in the mirror as well, so that `agrees` can be asked at any time.
    """

    def __init__(self, lab, notebook, source, mirror):
        """`source`: what the explorer's cell holds, and no other code cell of the notebook."""
        lab.show(notebook)
        [number] = cells_with(notebook, re.escape(source))
        self.lab, self.page, self.mirror = lab, lab.page, mirror
        self.output = lab.output(number)
        self.pictures = self.output.locator("img.widget-image:visible")
        self.choosers = self.output.locator("select:visible")
        self.sliders = self.output.locator(".widget-slider:visible")
        self.goal_line = self.output.locator(".widget-html", has_text=GOAL)

    def start(self):
        """Its first example, with no ghost and goal 1 on show, whatever was done to it before."""
        if len(self.mirror.examples) > 1:
            self.choose(self.mirror.example, list(self.mirror.examples)[0])
        if self.button("Drop the ghost").count():
            self.click("Drop the ghost")
        self.press(self.mirror.back_button.description)
        self.show_goal(1)
        self.agrees()
        return self

    def resize(self, width):
        """Change the window, and wait until the explorer has followed."""
        self.lab.resize(width)
        narrow = width < 600
        until(lambda: (self.output.bounding_box()["width"] < 300) == narrow, "it has followed")

    # Where things are on the page

    def chooser(self, control):
        """The drop-down list behind the name of the mirror's."""
        named = f".widget-dropdown:has(label:text-is('{control.description}'))"
        return self.output.locator(f"{named} select:visible")

    def slider(self, control):
        """The slider in the place of the mirror's."""
        on_show = [
            widget
            for widget in drive.controls(self.mirror)
            if isinstance(widget, FloatSlider) and widget.layout.visibility != "hidden"
        ]
        return self.sliders.nth([widget is control for widget in on_show].index(True))

    def button(self, name):
        return self.output.get_by_role("button", name=name, exact=True)

    def at_rest(self, thing):
        """The thing, in view on a page that stands still: a page that moves can swallow a click."""
        self.lab.come_to_rest()
        thing.scroll_into_view_if_needed()
        self.lab.come_to_rest()
        return thing

    # What a hand does, on the page and in the mirror

    def click(self, name):
        """Press a button on the page alone."""
        self.at_rest(self.button(name)).click()

    def press(self, name):
        """Press a button or a switch."""
        self.click(name)
        kinds = (Button, ToggleButton)
        found = [one for one in drive.shown(self.mirror.view, True) if isinstance(one, kinds)]
        [pressed] = [one for one in found if one.description == name]
        if isinstance(pressed, Button):
            pressed.click()
        else:
            pressed.value = not pressed.value

    def choose(self, control, name):
        """Choose an option by its name."""
        index = [label for label, _ in drive.labelled(control)].index(name)
        self.chooser(control).select_option(index=index)
        control.index = index

    def set(self, control, value, typed=None):
        """Click a slider's box, type a value over what it holds (or something else), and Enter."""
        self.at_rest(self.slider(control).locator(".widget-readout")).click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(str(value) if typed is None else typed)
        self.page.keyboard.press("Enter")
        until(lambda: self.value(control) == value, f"the box reads {value}")
        control.value = value

    @contextlib.contextmanager
    def dragged(self, control, pixels, steps=20):
        """A slider's handle taken with the mouse and moved; inside, the button is still down."""
        box = self.at_rest(self.slider(control)).locator(".noUi-handle").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        try:
            for step in range(1, steps + 1):
                self.page.mouse.move(x + pixels * step / steps, y)
                self.page.evaluate("new Promise(requestAnimationFrame)")
            control.value = self.value(control)
            yield
        finally:
            self.page.mouse.up()

    def drag(self, control, pixels):
        """Drag a slider; before the mouse lets go, the sentence and all pictures are others."""
        said, before = self.agrees(), self.shown()
        with self.dragged(control, pixels):
            assert self.agrees() != said
            assert all(a != b for a, b in zip(self.shown(), before, strict=True))
        self.agrees()
        return control.value

    def reach(self, goal, *moves):
        """A goal is reached by these moves, and not before the last: (the hand's act, on what)."""
        self.show_goal(goal)
        for act, *what in moves:
            assert "reached" not in self.goal()
            act(*what)
            self.agrees()
        self.goal_says("✓ reached")

    def show_goal(self, number):
        """Press “Goal ▶” until this goal is on show, each time waiting for the next one."""
        now, last = map(int, GOAL.search(self.goal()).groups())
        for step in range((number - now) % last):
            self.click("Goal ▶")
            self.goal_says(f"Goal {(now + step) % last + 1} of {last}:")
        self.mirror.show_goal(number - 1)

    # What the page shows

    def value(self, control):
        """What the box of a slider reads."""
        return float(self.slider(control).locator(".widget-readout").inner_text().replace("−", "-"))

    def goal(self):
        """The text of the goal on show."""
        return self.goal_line.inner_text()

    def places(self):
        """Where the pictures stand."""
        return [picture.bounding_box() for picture in self.pictures.all()]

    def goal_says(self, text):
        """Wait until the goal on show, or its verdict, says this."""
        until(lambda: text in self.goal(), f"“{text}” in the goal's line")

    def shown(self):
        """Fingerprints of the pictures on the page, taken from their pixels (RGBA)."""
        return self.pictures.evaluate_all(
            """images => Promise.all(images.map(async image => {
                const file = await (await fetch(image.src)).blob();
                const bitmap = await createImageBitmap(file, {colorSpaceConversion: 'none'});
                const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
                const pen = canvas.getContext('2d', {willReadFrequently: true});
                pen.drawImage(bitmap, 0, 0);
                const {data} = pen.getImageData(0, 0, bitmap.width, bitmap.height);
                const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
                return [...hash].map(byte => byte.toString(16).padStart(2, '0')).join('');
            }))"""
        )

    def agrees(self):
        """Wait until sentence and pictures on the page are the mirror's; return the sentence."""
        sentence = " ".join(self.mirror.sentence.split())
        pictures = [fingerprint(picture.pixels()) for picture in self.mirror.pictures]
        until(lambda: sentence in " ".join(self.output.inner_text().split()), f"“{sentence}”")
        until(lambda: self.shown() == pictures, "the pictures to this sentence")
        return sentence


def view_of(notebook, source, make, kind=View):
    """A fixture: an explorer on the page, beside the one that `make()` gives, both at the start."""

    @pytest.fixture
    def view(quiet):
        return kind(quiet, notebook, source, make()).start()

    return view
