# Carillon on Debian 12: `make test` on a bare machine with the Swift toolchain installs, builds and tests.

.DEFAULT_GOAL := help
.PHONY: help packages deps build build-tests run test simulate soak sanitize fuzz check-api check-browser screenshots check-clients check-analytics check-deploy check-containers package check-package check-systemd lint format sbom clean

SWIFT_SOURCES := Package.swift $(wildcard Services) Shared Tests
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Werror
# Of the programs and tests that `test` builds and the checks use.
export CONFIGURATION ?= debug

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages: ## Install the Debian packages of packages.apt
	@.ci/install-packages build run test

deps: packages .venv/installed ## Install the Debian packages and the linters of requirements-dev.txt

.venv/installed: requirements-dev.txt | packages
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@

build: deps ## Build every executable for release, into .build/release
	swift build --configuration release $(STRICT) $(BUILD_OPTIONS)

run: build ## Start the whole pipeline with simulated providers, send a demo push, and keep running; ONCE=1 exits after it
	.build/release/carillon up --simulator --demo $(if $(ONCE),--once)

build-tests: packages ## Build the tests and every program, as `make test` does
	swift build --build-tests --configuration $(CONFIGURATION) $(STRICT) $(BUILD_OPTIONS)

test: deps build-tests ## Build and run the tests; FILTER=Name runs only some, CONFIGURATION=release tests what `make build` builds
	.ci/test "$(FILTER)"

simulate: deps ## Run SEEDS=2000 histories of the whole pipeline in one process, from SEED=1; BUGS=1 plants mistakes instead
	SEED="$(SEED)" SEEDS="$(SEEDS)" BUGS="$(BUGS)" .ci/simulate

soak: deps ## Kill random processes of a running pipeline for MINUTES=n with each bus; SEED=n repeats a run
	STRICT="$(STRICT)" MINUTES="$(MINUTES)" SEED="$(SEED)" .ci/soak

sanitize: deps ## Run the tests under a sanitizer, SANITIZER=address or thread; FILTER=Name runs only some
	.ci/sanitize "$(or $(SANITIZER),address)" "$(or $(FILTER),.)"

fuzz: deps ## Fuzz the decoders for MINUTES=n in total, or only TARGET=name; see docs/fuzzing.md
	.ci/fuzz "$(MINUTES)" "$(TARGET)"

check-analytics: deps ## Export the outcomes of a pipeline, as built by `make test`, and run the DuckDB statements of docs/analytics.md
	.venv/bin/python -B .ci/check-analytics

check-api: deps ## Test the HTTP API, as built by `make test`, with EXAMPLES=n generated requests per operation (default: 500)
	.ci/check-api

check-browser: deps ## Use the console in headless Chromium, and let pages get pushes and listen while the service is killed; after .ci/install-packages browser and make test
	.venv/bin/python -B .ci/check-browser

screenshots: deps ## Make the images of docs/console.md; after .ci/install-packages browser and make test
	.venv/bin/python -B .ci/screenshots

check-clients: deps ## Generate clients from the API's document and use them, and run the programs of docs/clients.md
	.venv/bin/python -B .ci/check-clients

check-deploy: deps ## Start compose's services, render the chart, compare both and the dashboards with the programs of `make test`
	.venv/bin/python -B .ci/check-deploy
	.venv/bin/python -B .ci/check-chart
	.venv/bin/python -B .ci/start-services

check-containers: build ## Run compose on a real engine and kill each container once; as root, after .ci/install-packages package containers
	.venv/bin/python -B .ci/check-containers

package: build ## Build the Debian package and a tarball of the same tree, into .build/package
	@.ci/install-packages package
	.ci/package

check-package: deps ## Build the package from the programs of `make build`, run lintian, start every program; BIN=FOLDER has others
	@.ci/install-packages package check-package
	BIN="$(BIN)" .venv/bin/python -B .ci/check-package

check-systemd: build ## Install the package on a Debian that systemd boots, and use it; as root, after .ci/install-packages package systemd-root
	.venv/bin/python -B .ci/check-systemd

sbom: deps ## Write .build/carillon.cdx.json, a CycloneDX bill of materials; ROOT=FOLDER reads an unpacked image
	@mkdir -p .build
	python3 -B .ci/sbom.py $(if $(ROOT),--root "$(ROOT)") > .build/carillon.cdx.json

lint: deps ## Check format, shell and Lua scripts, YAML, the contracts, the bill of materials, the compose file and the chart
	swift format lint --strict --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)
	.ci/lint

format: ## Format the Swift sources as configured in .swift-format
	swift format --in-place --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)

clean: ## Remove build products and the linters
	rm -rf .build .venv
