# The main commands are `make run` and `make test`. Both include the set-up.
.DELETE_ON_ERROR:
PYTHON ?= python3.11
VENV := .venv
PY := $(VENV)/bin/python
ARGS ?=
SERVER_TESTS := -n 2 --dist loadfile tests/controlplane
RESTART_TESTS := tests/controlplane/operations/test_database_restart.py

# Help works without set-up and virtual environment. argparse accepts abbreviations of --help.
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

.PHONY: help setup setup-production setup-test setup-dev run lab soak test test-full coverage test-e2e test-servers bench bench-aggregation bench-analytics bench-load bench-space figures lint format requirements clean

help: ## list the targets
	@awk -F ': .*## |:## ' '/^## / { printf "\n%s\n", substr($$0, 4) } /^[a-z0-9-]+:.*## / { split($$0, part, ":"); \
		printf "  %-18s %s\n", part[1], $$NF }' Makefile

## Run

run: $(SETUP_UNLESS_HELP) ## run the platform with its demo (ARGS="--for 40 --report FILE")
	@exec $(LABS) run $(ARGS)

lab: $(SETUP_UNLESS_HELP) ## run the platform over a Mininet network (root; ARGS="TOPOLOGY --for 60")
	@exec $(LABS) lab $(ARGS)

soak: $(SETUP_UNLESS_HELP) ## run the platform under changes and faults (ARGS="--for SECONDS --report FILE")
	@exec $(LABS) soak $(ARGS)

## Test

# Tests start hundreds of Python processes, which all compile their modules if bytecode is not stored.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(PY) -m pytest

# Four processes, because tests wait half of the time. Each runs whole groups of `tests/schedule.py`.
WORKERS := -n 4 --dist loadgroup --no-loadscope-reorder
ALL := -m "full or not full" --hypothesis-profile full

test: setup-test ## run the everyday tests: unit, property, switches, API, browser
	@$(if $(ARGS),$(PYTEST) $(ARGS),env -u PYTHONDONTWRITEBYTECODE $(PY) scripts/run_tests.py $(WORKERS))

test-full: setup-test ## run all tests, including the long ones
	@$(PYTEST) $(ALL) $(ARGS)
	@[ -n "$(ARGS)" ] || TERCAST_OPENFLOW_LIBRARY=os_ken $(PYTEST) $(ALL) tests/controller

coverage: setup-test ## measure line and branch coverage of the everyday tests and their child processes
	@rm -rf artifacts/coverage
	@env -u PYTHONDONTWRITEBYTECODE $(PY) -m coverage run -m pytest $(or $(ARGS),$(WORKERS))
	@$(PY) -m coverage combine -q
	@$(PY) -m coverage report --skip-covered --sort=miss
	@$(PY) -m coverage json -q -o artifacts/coverage/coverage.json

test-e2e: setup-test ## test the dashboard in a real browser with real services; screenshots in artifacts/
	@$(PYTEST) tests/e2e $(ARGS)

test-servers: setup-test ## start PostgreSQL and Redis, and run the database tests with them
	@scripts/with_servers.sh $(PYTEST) -m "servers and not full" $(or $(ARGS),$(SERVER_TESTS))
	@[ -n "$(ARGS)" ] || scripts/with_servers.sh $(PYTEST) -k restarted $(RESTART_TESTS) # alone, because it restarts the server

lint: setup-dev ## check style, types, imports and English, also of the dashboard
	scripts/frontend.sh check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) scripts/plain_english.py

## Measure

figures: $(SETUP_UNLESS_HELP) ## reproduce the figures of the papers, a verdict per claim (ARGS="--list", "--only 6.2 7f", "--full")
	@exec nice $(LABS) figures $(ARGS)

bench: $(SETUP_TEST_UNLESS_HELP) ## measure the core library; JSON (ARGS="--quick", "--only planner events", "-o FILE")
	@exec $(call BENCH,planner) $(ARGS)

bench-aggregation: $(SETUP_TEST_UNLESS_HELP) ## measure aggregation; JSON (ARGS="--full", "--figure 5b shares", "--quotes FILE")
	@exec $(call BENCH,aggregation) $(ARGS)

bench-analytics: $(SETUP_TEST_UNLESS_HELP) ## measure the analytics jobs and DuckDB with 1 and 10 million events (ARGS="--events 100000 -o FILE")
	@exec nice $(call BENCH,analytics) $(ARGS)

bench-load: $(SETUP_TEST_UNLESS_HELP) ## measure many clients and live streams with real switches; JSON (ARGS="--clients 50 --streams 500 -o FILE")
	@exec $(call BENCH,load) $(ARGS)

bench-space: $(SETUP_TEST_UNLESS_HELP) ## measure event spaces: midpoints, PLEROMA's, greedy, learned; JSON (ARGS="--quick --only demo")
	@exec nice $(call BENCH,space) $(ARGS)

## Maintain

setup: ## install what `make run` needs into .venv, unless it is up to date
	@PYTHON=$(PYTHON) sh scripts/setup.sh run

setup-production: ## install what a server needs: no Open vSwitch, no demo, no tests
	@PYTHON=$(PYTHON) sh scripts/setup.sh production

setup-test: ## also install what tests and benchmarks need
	@PYTHON=$(PYTHON) sh scripts/setup.sh test

setup-dev: ## also install what `make lint` needs
	@PYTHON=$(PYTHON) sh scripts/setup.sh dev

format: setup-dev ## correct style errors automatically, as far as possible
	scripts/frontend.sh format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

requirements: setup-test setup-dev ## pin the installed versions of the packages in pyproject.toml
	$(PY) scripts/pin.py

clean: ## remove what set-up and runs have created
	rm -rf $(VENV) run artifacts results build frontend/node_modules platform/controlplane/web/dashboard/static
