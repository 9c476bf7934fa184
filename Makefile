# The two commands that a newcomer needs are `make demo` and `make test`; `make help`
# lists the rest. Everything is set up on the way: Debian packages (packages.txt), Python
# packages (.venv, requirements.txt), the build (build/, CMake preset `dev`).

SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: help packages venv configure build demo test test-torch sanitizers fuzz bench format \
        format-check lint docs bundle clean
.NOTPARALLEL:

PYTHON := .venv/bin/python
TORCH_PYTHON := build/torch-env/bin/python

help:
	@echo "make demo            build, then run the example kernels against NumPy (3 minutes)"
	@echo "make test            build, then run every test suite"
	@echo "make test T=NAME     one test: a lit file, a pytest id, or a GoogleTest filter"
	@echo "make test S=SUITES   some suites: unit lit python integration simulator kernels"
	@echo "                     sanitizers parser"
	@echo "make test-torch      PyTorch's compiler on Tritium (fetches 4 GB; docs/torch.md)"
	@echo "make build           set up and build only"
	@echo "make bench           the benchmarks of docs/performance.md"
	@echo "make fuzz            random kernels against NumPy, for 5 minutes"
	@echo "make format          format the C++ sources"
	@echo "make lint            check format, clang-tidy, Python syntax"
	@echo "make bundle          build/bundle/*.tar.xz: a self-contained archive (static LLVM)"
	@echo "make docs            dialect documentation into build/docs"
	@echo "make clean           remove the build directories (.venv stays)"

packages:
	@utils/setup.sh packages

venv: packages
	@utils/setup.sh venv

configure: venv
	@utils/setup.sh configure

build: configure
	@utils/setup.sh build link

demo: build
	@$(PYTHON) examples/demo/demo.py

test: build
	@$(PYTHON) utils/test.py $(if $(T),--one '$(T)') $(if $(S),--suites '$(S)')

build/torch-env/bin/python: | build
	@$(PYTHON) -m venv build/torch-env && build/torch-env/bin/pip install -q -r requirements-torch.txt \
	  || { rm -rf build/torch-env; exit 1; }

test-torch: build $(TORCH_PYTHON)
	@PYTHONPATH=build/python $(TORCH_PYTHON) -m pytest -q test/torch

bench: build
	@$(PYTHON) -m pip install -q -r requirements-bench.txt || echo "measuring without oneDNN"
	@$(PYTHON) bench/matrix.py && $(PYTHON) bench/cpu.py

fuzz: build
	@$(PYTHON) fuzz/kernels/fuzz.py --seconds 300

format: packages
	@git ls-files '*.h' '*.hpp' '*.cpp' '*.c' | xargs -r clang-format-19 -i

lint: build
	@$(PYTHON) utils/lint.py

docs: configure
	@ninja -C build dialect-docs && echo build/docs/tt.md build/docs/ttg.md build/docs/ttng.md

bundle: venv
	@cmake --preset release -DPython_EXECUTABLE=$(abspath $(PYTHON)) >/dev/null
	@ninja -C build-release tritium tritium-tool tritium_python
	@utils/bundle/make.sh build-release build/bundle

clean:
	rm -rf build build-asan build-tsan build-release
