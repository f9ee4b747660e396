# What a newcomer and a change need. Asks for Python >= 3.11, a C compiler and make; the rest comes from PyPI into $(VENV).
#
#   make demo                     parse a sentence that a beam gets wrong, and prove the best tree
#   make test PYTEST_ARGS="-k lp" one part of the tests
#   make test WORKERS=0           in one process, for a debugger
#   make test PYTHON=python3.13   another interpreter (make clean first)

PYTHON ?= python3
VENV ?= .venv
DIST ?= dist
PYTEST_ARGS ?=
WORKERS ?= auto

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
ROOTS := framework plugins cython_ext tasks
EXAMPLES := $(wildcard docs/examples/*/pyproject.toml)

# An editable install sees edited Python files by itself. It must be made again when the metadata or a compiled kernel
# changes, and when a package appears: each package carries a py.typed, which nobody edits.
INSTALLED := pyproject.toml \
	$(wildcard $(ROOTS:%=%/gapless*/py.typed)) \
	$(shell find cython_ext -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

WHEEL = $(firstword $(wildcard $(DIST)/gapless-*.whl))
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

.PHONY: help kernels demo test test-long lint docs browser results fuzz soak dist size sbom changelog clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

help:
	@echo "make demo   install into $(VENV) and show a beam that is wrong, the best tree, and the proof"
	@echo "make kernels  compile in place what changed in cython_ext, and nothing else"
	@echo "make test   run the quick tests, which cover everything (PYTEST_ARGS adds arguments)"
	@echo "make test-long  run the long tests, and drawn tests with many examples (besides make test)"
	@echo "make lint   ruff check, ruff format --check, mypy --strict"
	@echo "make docs   build the documentation into build/docs, with the outputs of its code; a warning is an error"
	@echo "make browser  build what the page docs/browser.md loads: a wheel of pure Python, two models"
	@echo "make fuzz   feed CASES=1000000 changed documents to everything that reads (an hour or two)"
	@echo "make soak   decode COUNT=100000 mixed problems and watch the memory"
	@echo "make results  measure every table of docs/results again (hours; ONLY=NAME: one of them)"
	@echo "make dist   build the sdist, and the wheel from it, into $(DIST); what PyPI would refuse is an error"
	@echo "make size   install the wheel elsewhere and print how long that takes, how much it is, how long importing takes"
	@echo "make sbom   write the wheel's bill of materials (CycloneDX) into $(DIST)"
	@echo "make changelog  print what the next release's changelog will say"
	@echo "make clean  remove $(VENV) and everything that was built"

demo: $(VENV)/.installed
	@$(BIN)/gapless demo --out build/demo

# Seconds where an installation takes minutes; the first time, build/ is empty and everything is compiled. What is compiled
# in place is what an editable install imports, so no other installation is due.
kernels: $(VENV)/.created
	@$(BIN)/python -c 'import Cython, setuptools' 2>/dev/null || $(PIP) install 'setuptools>=80' 'cython>=3.2'
	@$(BIN)/python -W ignore -c 'import setuptools; setuptools.setup()' --quiet build_ext --inplace
	@for mark in .installed .installed-dev .installed-docs; do [ ! -f $(VENV)/$$mark ] || touch $(VENV)/$$mark; done

# The command, not `python -m pytest`: that would put the repository's root on sys.path, where our folders would be
# importable under a second name. Hundreds of tests start Python again: without cached bytecode each would compile what it
# imports, which costs a fifth of the suite.
PYTEST := env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest

test: $(VENV)/.installed-dev
	@$(PYTEST) --numprocesses $(WORKERS) --dist worksteal $(PYTEST_ARGS)

test-long: $(VENV)/.installed-dev
	@$(PYTEST) --long --numprocesses $(WORKERS) --dist worksteal $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo "run: $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/mypy --no-error-summary --package gapless_cutting_stock --package gapless_rna_folding --package gapless_vehicle_routing
	@echo "lint: clean"

docs: $(VENV)/.installed-docs
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --jobs auto -d build/doctrees docs build/docs
	@echo "docs: build/docs/index.html"

# Pyodide itself is loaded by the visitor; `make docs` puts what is built here beside the page.
browser: $(VENV)/.installed
	@$(BIN)/python -W ignore docs/browser/build.py build/browser/browser-files

fuzz: CASES ?= 1000000
fuzz: $(VENV)/.installed-dev
	@$(BIN)/python tests/fuzz/fuzz.py --cases $(CASES)

soak: COUNT ?= 100000
soak: $(VENV)/.installed-dev
	@$(BIN)/python tests/soak/soak.py --count $(COUNT)

# Needs GAPLESS_DATA and the peers: pip install '.[bench,linking,report]' into $(VENV).
results: $(VENV)/.installed-dev
	@$(BIN)/python docs/results/measure.py $(if $(ONLY),--only $(ONLY))

dist: $(VENV)/.installed-dev
	@$(BIN)/python -m build --outdir $(DIST) >$(VENV)/dist.log 2>&1 || { cat $(VENV)/dist.log; exit 1; }
	@$(BIN)/twine check --strict $(DIST)/gapless-*.whl $(DIST)/gapless-*.tar.gz >$(VENV)/dist.log || { cat $(VENV)/dist.log; exit 1; }
	@ls $(DIST)

# Of the wheel in $(DIST), which is built first if there is none.
size: $(VENV)/.installed-dev
	@$(if $(WHEEL),,$(MAKE) --no-print-directory dist)
	@$(BIN)/python .ci/install_size.py $(DIST)/gapless-*.whl

sbom: $(VENV)/.installed-dev
	@$(if $(WHEEL),,$(MAKE) --no-print-directory dist)
	@$(PIP) install 'cyclonedx-bom>=7'
	@$(BIN)/python .ci/sbom.py $(DIST)/gapless-*.whl $(DIST)/gapless-$(VERSION).cdx.json

changelog: $(VENV)/.installed-dev
	@$(BIN)/towncrier build --draft --version $(VERSION)

clean:
	@rm -rf $(VENV) build dist *.egg-info docs/examples/*/build docs/examples/*/*.egg-info
	@find $(ROOTS) \( -name '*.so' -o -name '*.c' \) -delete

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit("gapless needs Python 3.11 or newer; name one with PYTHON=" if sys.version_info < (3, 11) else 0)'
	@echo "creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --upgrade pip
	@touch $@

# The finder that an editable install of several roots leaves comes after sys.path: beside a folder called `gapless`, which
# every clone is, it would lose to an empty namespace package. A .pth file makes the roots entries of sys.path themselves.
$(VENV)/.installed: $(VENV)/.created $(INSTALLED)
	@echo "installing gapless and compiling its kernels (a few minutes, only when they change)"
	@$(PIP) install --editable '.[tasks,report]'
	@printf '%s\n' $(ROOTS:%="$(CURDIR)/%") >"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/gapless_roots.pth"
	@touch $@

# Only what development needs beyond it, so nothing is compiled twice. The examples are installed as a stranger's plug-ins
# would be; --no-deps and --no-build-isolation, because what they need is what has just been installed.
$(VENV)/.installed-dev: $(VENV)/.installed $(EXAMPLES)
	@echo "installing the tools for development"
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["dev"], sep="\n")' >$(VENV)/dev.txt
	@$(PIP) install --requirement $(VENV)/dev.txt
	@$(if $(EXAMPLES),echo "installing the example plug-ins")
	@$(if $(EXAMPLES),$(PIP) install --no-deps --no-build-isolation $(patsubst %,--editable %,$(dir $(EXAMPLES))))
	@touch $@

# Likewise, so that the reference is made of the code as it lies here; after those for development, because pages run
# blocks that need the examples, scikit-learn and dask.
$(VENV)/.installed-docs: $(VENV)/.installed-dev
	@echo "installing the tools for the documentation"
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' >$(VENV)/docs.txt
	@$(PIP) install --requirement $(VENV)/docs.txt
	@touch $@
