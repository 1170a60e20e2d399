# `make demo` and `make test` do all their own set-up: they need Python >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2

# The demo keeps its replies to itself; only the prepared model goes to the user's cache folder.
demo: export SOTAQUE_HOME ?= $(CURDIR)/.demo/home

.PHONY: demo test check bench clean

demo: $(VENV)/.local
	$(BIN)/sotaque models prepare local
	$(BIN)/sotaque run masalbench --model local --model baseline/longest --mode all --limit 4 --out .demo/runs
	$(BIN)/sotaque run broverbs,brasilidade --model local --limit 2 --max-tokens 16 --out .demo/runs
	$(BIN)/sotaque run alba --model local --task language_variety --limit 1 --out .demo/runs

test: $(VENV)/.dev check
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/server_path.py
	$(BIN)/python benchmarks/rescore.py
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/load_rows.py
	$(BIN)/sotaque models prepare local
	$(BIN)/python benchmarks/local_generation.py
	$(BIN)/python benchmarks/local_scoring.py
	$(BIN)/python benchmarks/variety.py

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "sotaque needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.local: $(VENV)/.python pyproject.toml constraints.txt
	$(PIP) -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.local
	$(PIP) -e '.[local,parquet,hub,bertscore,peers,dev]'
	@touch $@

clean:
	rm -rf $(VENV) .demo
