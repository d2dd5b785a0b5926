# What a plugin in any language does the same way. NAME and LIBRARY are the including Makefile's.
MFSCTL ?= mfsctl
# How often the conformance kit signs in at its end.
CYCLES ?= 1000
MANIFEST := mfs-strategy-$(NAME).yaml
# Where mfsctl looks for the plugins of a user.
DATA := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/mfsctl
PLUGINS ?= $(if $(MFSCTL_HOME),$(MFSCTL_HOME)/data,$(DATA))/plugins

.PHONY: build test signin install
build: $(LIBRARY) app/strategies/$(MANIFEST)

# An app's catalog includes what stands in the app's own folder.
app/strategies/$(MANIFEST): $(MANIFEST)
	install -D -m 644 $< $@

# The conformance kit against the plugin, and the settings in the app's catalog.
test: build
	$(MFSCTL) strategy check --cycles $(CYCLES) ./$(LIBRARY)
	$(MFSCTL) env catalog check app/env/catalog.yaml

# Signs in, refreshes and signs out at a gateway of mfsctl's own.
signin: build
	MFSCTL=$(MFSCTL) sh signin.sh

install: build
	install -D -m 644 -t "$(PLUGINS)" $(LIBRARY) $(MANIFEST)
	@echo 'now look at what it asks for, and trust it: $(MFSCTL) strategy trust "$(PLUGINS)/$(LIBRARY)"'
