"""One JupyterLab and one browser for all tests that look at pages; a kernel for a file."""

import ctypes
import gc
import os
import sys

import ipywidgets
import pytest
from jupyter_client.manager import run_kernel
from kernels import Kernel
from lab import BROWSER, CHROMIUM, HOW_TO_GET_IT, Lab, Server, start_chromium


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """One JupyterLab and one browser, for the whole run."""
    if not BROWSER and os.environ.get("MHALIB_BROWSER") != "required":
        pytest.skip(HOW_TO_GET_IT)
    assert BROWSER, HOW_TO_GET_IT
    from playwright.sync_api import sync_playwright

    with Server(tmp_path_factory.mktemp("lab")) as server, sync_playwright() as playwright:
        with start_chromium(playwright, CHROMIUM) as browser:
            yield Lab(server, browser)


@pytest.fixture
def quiet(lab):
    """In the page, no error, no request to another machine and no widget without its model."""
    yield lab
    complaints, lab.complaints = lab.complaints, []
    assert complaints == []
    assert lab.page.locator(".jp-OutputArea", has_text="Error displaying widget").count() == 0


@pytest.fixture(scope="module")
def kernel():
    """A fresh kernel; each file has its own."""
    with run_kernel(kernel_name="python3", extra_arguments=["--log-level=ERROR"]) as client:
        yield Kernel(client)


def pytest_collection_finish():
    """What is there before the first test stays, and need not be looked through after each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def forgotten_widgets():
    """ipywidgets keeps every widget, and with it an explorer's pictures, until it is closed."""
    yield
    kept = getattr(ipywidgets.widgets.widget, "_instances", None)  # ipywidgets 8
    if kept if kept is not None else ipywidgets.Widget.widgets:
        ipywidgets.Widget.close_all()
        gc.collect()


@pytest.fixture(autouse=True, scope="module")
def forgotten_models():
    """A model that is read once is kept by the process, but not for another file's tests."""
    yield
    if "mhalib.real_models" in sys.modules:
        sys.modules["mhalib.real_models"].load.cache_clear()
        gc.collect()
        if sys.platform == "linux":  # where malloc keeps for itself what was let go
            ctypes.CDLL(None).malloc_trim(0)
