# Everything starts here. `make help` lists it; a fresh machine needs Python 3.11 or newer and make.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# The first of these that is new enough. `make PYTHON=python3.12` chooses another one.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$python; break; }; done)

UNIT := not wire and not faults and not browser and not long
WIRE := (wire or browser) and not faults and not long
FAULTS := faults and not long

.DEFAULT_GOAL := help
.PHONY: help setup run test test-unit test-wire test-faults check fix docs bench faults clean

help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F '|' '{printf "%-18s%s\n", $$1, $$2}'

setup: $(STAMP) ## install everything into .venv

$(STAMP): constraints-dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, and none was found. Install one, or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "$(PYTHON) does not run, or is older than 3.11. Name a newer one: make PYTHON=/path/to/python3.12"; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@rm -f $@
	"$(PYTHON)" -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r constraints-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: $(STAMP) ## start the sandbox: everything on this machine, with a page to type in
	@exec $(BIN)/gemma sandbox

test: test-unit test-wire test-faults ## unit, wire and short fault tests

test-unit: $(STAMP) ## tests that open no socket (aim: 60 s)
	@echo "== unit tests"
	@$(BIN)/python -m pytest -m "$(UNIT)" -n 2 --dist loadfile

test-wire: $(STAMP) ## tests over loopback, against stand-ins and a real Valkey (aim: 90 s)
	@echo "== wire tests"
	@$(BIN)/python -m pytest -m "$(WIRE)" -n 2 --dist loadfile

test-faults: $(STAMP) ## tests that kill processes, the short ones (aim: 120 s)
	@echo "== fault tests, the short ones"
	@$(BIN)/python -m pytest -m "$(FAULTS)" -n 2 --dist loadfile

check: $(STAMP) ## lint, format, types, import contracts, generated files
	@echo "== check"
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/gemma docs | diff -u docs/operations.md - || { echo "docs/operations.md is out of date: make docs"; exit 1; }
	@$(BIN)/gemma manifest | diff -u slack-manifest.json - || { echo "slack-manifest.json is out of date: make docs"; exit 1; }

fix: $(STAMP) ## repair lint and format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(STAMP) ## write docs/operations.md and slack-manifest.json anew
	$(BIN)/gemma docs > docs/operations.md.new && mv docs/operations.md.new docs/operations.md
	$(BIN)/gemma manifest > slack-manifest.json.new && mv slack-manifest.json.new slack-manifest.json

bench: $(STAMP) ## run the benchmarks; each prints ratios against a peer in the same run
	@for file in $$(grep -l '^if __name__ == .__main__.:' benchmarks/*.py); do echo "== $$file"; $(BIN)/python $$file || exit 1; done

faults: $(STAMP) ## all fault tests, the long ones too
	@$(BIN)/python -m pytest -m "faults or long"

clean: ## remove .venv and everything that can be made again
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
