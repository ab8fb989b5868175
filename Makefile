# Carillon on Debian 12: `make test` on a bare machine with the Swift toolchain installs, builds and tests.

.DEFAULT_GOAL := help
.PHONY: help deps build run test soak sanitize fuzz check-api check-deploy check-containers lint format sbom clean

SWIFT_SOURCES := Package.swift $(wildcard Services) Shared Tests
STRICT := -Xswiftc -warnings-as-errors -Xcc -Wall -Xcc -Werror

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: .venv/installed ## Install the Debian packages of packages.apt and the linters of requirements-dev.txt
	@.ci/install-packages build run test

.venv/installed: requirements-dev.txt
	@.ci/install-packages build run test
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@

build: deps ## Build every executable for release, into .build/release
	swift build --configuration release --static-swift-stdlib $(STRICT)

run: build ## Start the whole pipeline with simulated providers, show a push all the way, and stay up; ONCE=1 ends after it
	.build/release/carillon up --simulator --demo $(if $(ONCE),--once)

test: deps ## Build and run the tests; FILTER=Name runs only some
	STRICT="$(STRICT)" .ci/test "$(FILTER)"

soak: deps ## Kill processes of a house at random for MINUTES=n with each bus; SEED=n repeats one
	STRICT="$(STRICT)" MINUTES="$(MINUTES)" SEED="$(SEED)" .ci/soak

sanitize: deps ## Run the tests under a sanitizer, SANITIZER=address or thread; FILTER=Name runs only some
	.ci/sanitize "$(or $(SANITIZER),address)" "$(or $(FILTER),.)"

fuzz: deps ## Fuzz the decoders for MINUTES=n in all, or one of them with TARGET=name; docs/fuzzing.md
	.ci/fuzz "$(MINUTES)" "$(TARGET)"

check-api: deps ## Try the HTTP API, as `make test` built it, with generated requests; EXAMPLES=N an operation, 500 unless told
	.ci/check-api

check-deploy: deps ## Start compose's services, render the chart, hold both and the dashboards against what `make test` built
	.venv/bin/python -B .ci/check-deploy
	.venv/bin/python -B .ci/check-chart
	.venv/bin/python -B .ci/start-services

check-containers: build ## As root, with .ci/install-packages containers: compose on a real engine, each container killed once
	.venv/bin/python -B .ci/check-containers

sbom: deps ## Write .build/carillon.cdx.json, a CycloneDX list of what runs; ROOT=FOLDER reads an image that was unpacked there
	@mkdir -p .build
	python3 -B .ci/sbom.py $(if $(ROOT),--root "$(ROOT)") > .build/carillon.cdx.json

lint: deps ## Check format, scripts, YAML, the contracts, the bill of materials, the compose file and the chart
	swift format lint --strict --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)
	.ci/lint

format: ## Rewrite the Swift sources as .swift-format says
	swift format --in-place --parallel --recursive --configuration .swift-format $(SWIFT_SOURCES)

clean: ## Remove what was built, and the linters
	rm -rf .build .venv
