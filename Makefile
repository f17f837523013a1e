# Two commands do all the set-up: `make demo` and `make test`. They need Python 3.11 and make, and bring uv
# in a venv of its own (.uv) when it is missing.
#   make demo              the main job on the sample, then the dashboard   (ARGS=--once stops after its check)
#   make test              all tests the machine can run                    (ARGS="-k pricing" narrows)
#   make venv              the environment alone, in .venv
#   make lint              format, lint and types
#   make lock              requirements/*.txt from pyproject.toml

.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= $(shell command -v python3.11 || command -v python3)
UV := $(shell command -v uv || echo .uv/bin/uv)
export UV_PYTHON_DOWNLOADS = never
export UV_NO_CONFIG = 1
export DAGSTER_DISABLE_TELEMETRY = yes
ARGS ?=
BIN := .venv/bin
# PySpark is 480 MB and useless without Java, so it comes only where Java is.
TEST_GROUP := $(if $(shell command -v java),spark,dev)

.PHONY: help venv demo test lint lock clean
help:
	@sed -n '3,8s/^# *//p' Makefile

.uv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || { \
	  echo "inferledger needs Python 3.11, found '$$($(PYTHON) --version 2>&1)' at '$(PYTHON)'."; \
	  echo "Install it, or name it: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing, so uv cannot be brought."; \
	  echo "Install it (Debian, Ubuntu: apt-get install python3.11-venv) or install uv, then run make again."; exit 2; }
	@echo "bringing uv into .uv"
	@$(PYTHON) -m venv .uv && .uv/bin/pip install --quiet --disable-pip-version-check uv

$(BIN)/python: | $(filter .uv/bin/uv,$(UV))
	@$(UV) venv --quiet --python 3.11 .venv || { \
	  echo "inferledger needs Python 3.11 on this machine; install it, then run make again."; exit 2; }

.venv/.%-installed: requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "installing requirements/$*.txt into .venv"
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements/$*.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

venv: .venv/.base-installed

demo: venv
	@$(BIN)/inferledger demo $(ARGS)

test: .venv/.$(TEST_GROUP)-installed
	@$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

# Types of the Spark engine need the Spark package, though not Java.
lint: .venv/.spark-installed
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright

lock: | $(filter .uv/bin/uv,$(UV))
	@for group in base dev spark; do \
	  case $$group in base) groups="" ;; dev) groups="--group dev" ;; spark) groups="--group dev --group spark" ;; esac; \
	  $(UV) pip compile pyproject.toml $$groups --universal --generate-hashes --no-emit-index-url --no-header \
	    --python-version 3.11 --quiet --output-file requirements/$$group.txt || exit 1; done

clean:
	@rm -rf .venv .uv .pytest_cache .ruff_cache .hypothesis demo
