# The usual ways in; CMake does the work. `make help` lists them.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 12

demo: build ## install what is missing, build, run a closed chain by two methods, write a report
	@mkdir -p demo
	build/cardan compare closed-chain --time 120 --dt 0.01 --methods vi,aba/semi-implicit \
	  --report demo/closed-chain.html
	@echo
	@echo "Open demo/closed-chain.html in a browser: both motions, their energies and errors"

# The release build is tested whole; the fast tests again under the address and undefined
# behaviour sanitizers with asserts on; the readers with libFuzzer for a while.
test: build ## set up everything and run all tests
	scripts/lint build
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan -j $(JOBS)
	cmake --preset fuzz
	cmake --build --preset fuzz
	ctest --preset fuzz -j $(JOBS)
	ctest --preset release -j $(JOBS)

build: packages ## the release build: build/cardan
	cmake --preset release
	cmake --build --preset release

bench: build ## time the algorithms on this machine
	build/bench/bench

install: build ## install into PREFIX (/usr/local)
	cmake --install build --prefix "$(PREFIX)"

format: packages ## lay out all C files as .clang-format says
	find include src cli tests bench examples -name '*.[ch]' 2>/dev/null | xargs clang-format-14 -i

lint: build ## check layout, likely mistakes and sizes
	scripts/lint build

packages:
	@scripts/install-packages

clean: ## remove what was built
	rm -rf build demo

.PHONY: help demo test build bench install format lint packages clean
