#!/bin/sh
# Puts env/catalog.yaml into the program: run it after every change to that file. A test holds the two together.
set -eu
cd "$(dirname "$0")/.."
target=Sources/Settings/Catalog/BuiltinCatalog.swift
{
  cat <<'HEAD'
// Made by env/embed.sh from env/catalog.yaml; changes here are lost.
// swift-format-ignore-file

/// The text of env/catalog.yaml. It is part of the program because a resource bundle would need Foundation.
enum BuiltinCatalog {
  static let text: StaticString = #"""
HEAD
  cat env/catalog.yaml
  printf '\n"""#\n}\n'
} >"$target.new"
mv "$target.new" "$target"
