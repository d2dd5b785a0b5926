# What a contributor runs, and what CI runs. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
BUILD := .build/release
SWIFT_BUILD := swift build --quiet

.PHONY: help deps deps-test deps-peers build test-build demo test soak bench lint format generate install uninstall clean commit

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

deps: ## install the Debian packages that the build needs and this machine lacks
	@scripts/deps .ci/packages-build

deps-test: deps
	@scripts/deps .ci/packages-test

deps-peers: deps-test
	@scripts/deps .ci/packages-peers

# --version names the commit; the header is rewritten only when it changes, so that a build stays incremental.
commit:
	@line="#define MFS_COMMIT \"$$(git describe --always --dirty 2>/dev/null || echo unknown)\""; \
	file=Sources/CLibraries/CBuildInfo/commit.h; \
	[ "$$(cat $$file 2>/dev/null)" = "$$line" ] || echo "$$line" > $$file

build: deps commit ## build the executables and plugins into .build/release
	@echo "building; the first time this takes minutes and shows nothing meanwhile"
	$(SWIFT_BUILD) -c release
	@scripts/stage $(BUILD)

demo: build ## show the product at its main job, against a server it starts
	@scripts/demo $(BUILD)

test-build: deps-test commit
	$(SWIFT_BUILD) --build-tests
	@scripts/stage .build/debug

test: test-build ## run every test
	@scripts/test .build/debug

soak: test-build ## run the long checks of the backend: races a thousand times, and kill -9 under load
	@scripts/soak .build/debug

bench: build deps-peers ## measure against the peers named in docs/BENCHMARKS.md
	@scripts/bench $(BUILD)
	@scripts/bench-backend $(BUILD)

lint: deps commit ## check the format of the sources and that generated files are fresh
	@scripts/lint

format: ## format the sources
	swift format --in-place --recursive --parallel Sources Tests Package.swift

generate: ## remake the built-in catalogs and the documents that are made from them and from the commands
	$(SWIFT_BUILD) --product embed-catalog
	.build/debug/embed-catalog env/catalog.yaml > .build/BuiltinCatalog.swift
	mv .build/BuiltinCatalog.swift Sources/Settings/Catalog/BuiltinCatalog.swift
	.build/debug/embed-catalog env/backend-catalog.yaml BackendCatalog > .build/BackendCatalog.swift
	mv .build/BackendCatalog.swift Sources/AuthBackend/Admin/Configuration/BackendCatalog.swift
	$(SWIFT_BUILD) --product mfsctl
	.build/debug/mfsctl env docs --write
	.build/debug/mfsctl env example --write
	.build/debug/mfsctl help reference > docs/CLI.md
	$(SWIFT_BUILD) --product mfs-authd
	.build/debug/mfs-authd config docs > docs/BACKEND-SETTINGS.md
	.build/debug/mfs-authd help reference > docs/BACKEND-CLI.md

install: build ## install below PREFIX (/usr/local), DESTDIR honoured
	@scripts/install $(BUILD) "$(DESTDIR)$(PREFIX)"

uninstall: ## take away what was installed below PREFIX
	@scripts/uninstall "$(DESTDIR)$(PREFIX)"

clean: ## remove what was built
	rm -rf .build Sources/CLibraries/CBuildInfo/commit.h
