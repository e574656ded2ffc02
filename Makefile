# Two commands matter: `make run` and `make test`. Both do their own set-up.
.DELETE_ON_ERROR:
PYTHON ?= python3.11
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=
SERVER_TESTS := -n 2 --dist loadfile tests/controlplane
RESTART_TESTS := tests/controlplane/operations/test_database_restart.py

# Help needs neither the set-up nor the virtual environment; argparse accepts abbreviations of --help.
ifneq (,$(filter -h --h --he --hel --help,$(ARGS)))
SETUP_UNLESS_HELP :=
SETUP_TEST_UNLESS_HELP :=
LABS := env PYTHONPATH=platform:. PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m mininet_labs
BENCH = $(PYTHON) -B tests/benchmarks/bench_options.py $(1)
else
SETUP_UNLESS_HELP := setup
SETUP_TEST_UNLESS_HELP := setup-test
LABS := $(PY) -m mininet_labs
BENCH = $(PY) tests/benchmarks/bench_$(1).py
endif

.PHONY: help setup setup-production setup-test setup-dev run lab soak test test-full coverage test-e2e test-servers bench bench-aggregation bench-analytics bench-load lint format requirements clean

help: ## list the targets
	@awk -F ': .*## |:## ' '/^## / { printf "\n%s\n", substr($$0, 4) } /^[a-z0-9-]+:.*## / { split($$0, part, ":"); \
		printf "  %-18s %s\n", part[1], $$NF }' Makefile

## Run

run: $(SETUP_UNLESS_HELP) ## the platform with its demo (ARGS="--for 40 --report FILE")
	@exec $(LABS) run $(ARGS)

lab: $(SETUP_UNLESS_HELP) ## the platform over a Mininet network (root; ARGS="TOPOLOGY --for 60")
	@exec $(LABS) lab $(ARGS)

soak: $(SETUP_UNLESS_HELP) ## the platform under changes and faults (ARGS="--for SECONDS --report FILE")
	@exec $(LABS) soak $(ARGS)

## Test

# Tests start hundreds of Python processes: each compiles all its modules where nothing keeps them.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest

# Three processes, since tests wait half of the time; each runs whole groups of `tests/schedule.py`.
WORKERS := -n 3 --dist loadgroup --no-loadscope-reorder
ALL := -m "full or not full" --hypothesis-profile full

test: setup-test ## everything: unit, property, fake switch, real switches, API, browser
	@$(if $(ARGS),$(PYTEST) $(ARGS),env -u PYTHONDONTWRITEBYTECODE $(PY) scripts/run_tests.py $(WORKERS))

test-full: setup-test ## what is longer than the everyday suite as well
	@$(PYTEST) $(ALL) $(ARGS)
	@[ -n "$(ARGS)" ] || TERCAST_OPENFLOW_LIBRARY=os_ken $(PYTEST) $(ALL) tests/controller

coverage: setup-test ## line and branch coverage of the everyday suite, child processes included
	@rm -rf artifacts/coverage
	@env -u PYTHONDONTWRITEBYTECODE $(PY) -m coverage run -m pytest $(or $(ARGS),$(WORKERS))
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report --skip-covered --sort=miss
	@$(PY) -m coverage json -q -o artifacts/coverage/coverage.json

test-e2e: setup-test ## the dashboard in a real browser, against real services; screenshots in artifacts/
	@$(PYTEST) tests/e2e $(ARGS)

test-servers: setup-test ## the tests that use the database, on PostgreSQL with Redis, both started for it
	@scripts/with_servers.sh $(PYTEST) -m "servers and not full" $(or $(ARGS),$(SERVER_TESTS))
	@[ -n "$(ARGS)" ] || scripts/with_servers.sh $(PYTEST) -k restarted $(RESTART_TESTS) # restarts the server: alone

lint: setup-dev ## ruff, mypy, import-linter, plain English; of the dashboard: types and style
	scripts/frontend.sh check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) scripts/plain_english.py

## Measure

bench: $(SETUP_TEST_UNLESS_HELP) ## the core's speed, as JSON (ARGS="--quick", "--only planner events", "-o FILE")
	@exec $(call BENCH,planner) $(ARGS)

bench-aggregation: $(SETUP_TEST_UNLESS_HELP) ## the figures on aggregation, as JSON (ARGS="--full", "--figure 5b shares", "--quotes FILE")
	@exec $(call BENCH,aggregation) $(ARGS)

bench-analytics: $(SETUP_TEST_UNLESS_HELP) ## the analytics jobs at 1 and 10 million events, beside DuckDB (ARGS="--events 100000 -o FILE")
	@exec nice $(call BENCH,analytics) $(ARGS)

bench-load: $(SETUP_TEST_UNLESS_HELP) ## many clients and live streams over real switches, as JSON (ARGS="--clients 50 --streams 500 -o FILE")
	@exec $(call BENCH,load) $(ARGS)

## Maintain

setup: ## what `make run` needs, into .venv; skipped when it is up to date
	@PYTHON=$(PYTHON) sh scripts/setup.sh run

setup-production: ## what a server needs: no Open vSwitch, no demo, no tests
	@PYTHON=$(PYTHON) sh scripts/setup.sh production

setup-test: ## what the tests and benchmarks need as well
	@PYTHON=$(PYTHON) sh scripts/setup.sh test

setup-dev: ## what `make lint` needs: style, types, imports
	@PYTHON=$(PYTHON) sh scripts/setup.sh dev

format: setup-dev ## what `make lint` can correct itself
	scripts/frontend.sh format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

requirements: setup-test setup-dev ## pin the installed versions of what pyproject.toml names
	$(PY) scripts/pin.py

clean: ## what set-up and runs made
	rm -rf $(VENV) run artifacts results build frontend/node_modules platform/controlplane/web/dashboard/static
