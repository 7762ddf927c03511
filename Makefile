# The usual ways in; CMake does the work. `make help` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: ## install what is missing, build, run a closed chain by two methods, write a report
	@scripts/install-packages build pages
	cmake --preset command
	cmake --build --preset command
	@mkdir -p demo
	build/cardan compare closed-chain --time 120 --dt 0.01 --methods vi,aba/semi-implicit \
	  --report demo/closed-chain.html
	@echo
	@echo "Open demo/closed-chain.html in a browser: both motions, their energies and errors"

build: ## the library and the command, build/cardan
	@scripts/install-packages build pages command
	cmake --preset command
	cmake --build --preset release

python: ## the Python package, build/python (PYTHONPATH=build/python); see docs/python.md
	@scripts/install-packages build pages python
	cmake --preset python
	cmake --build --preset python

test: ## set up everything and run all tests
	JOBS=$(JOBS) scripts/test

fuzz: ## fuzz the readers, each for FUZZ_SECONDS (60), from what earlier runs found
	@scripts/install-packages
	cmake --preset fuzz -DCARDAN_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset fuzz
	ctest --preset fuzz -j $(JOBS)

bench: everything ## time everything on this machine, into docs/performance.md: five minutes
	build/cardan bench --peers --robot examples/robots/quadruped.xml --before docs/performance-before.csv --markdown docs/performance.md

install: build ## install into PREFIX (/usr/local)
	cmake --install build --prefix "$(PREFIX)"

format: ## lay out all C files as .clang-format says
	@scripts/install-packages lint
	find include src apps cli tests bench examples python -name '*.[ch]' 2>/dev/null | xargs clang-format-14 -i

lint: everything ## check layout, sizes, rooms and likely mistakes
	scripts/lint build

golden: everything ## renew tests/physics/golden.txt, where a change of bits was meant
	scripts/renew-golden

reproduction: everything ## renew docs/reproduction.md and its figures: half an hour
	build/cardan reproduce all --out build/reproduction
	cp build/reproduction/reproduction.md docs/
	rm -rf docs/reproduction
	cp -r build/reproduction/reproduction docs/

studies: python ## the three studies of docs/sweep.md, into build/studies: three minutes
	cmake --build --preset python --target studies

clean: ## remove what was built
	rm -rf build demo

# the release build with the tests and the timed programs
everything:
	@scripts/install-packages
	cmake --preset release
	cmake --build --preset release

.PHONY: help demo build python test fuzz bench install format lint golden reproduction clean everything
