#!/bin/sh
# Signs in with this plugin at a gateway of mfsctl's own on this machine, refreshes the session and signs out. Nothing of
# yours is touched: the vault, the trust and the settings stand in a folder that is removed at the end.
set -eu
cd "$(dirname "$0")"
mfsctl=${MFSCTL:-mfsctl}
folder=$(mktemp -d)
lab=
leave() { [ -z "$lab" ] || kill "$lab" 2>/dev/null || true; rm -rf "$folder"; }
trap leave EXIT
trap 'exit 1' INT TERM
export MFSCTL_HOME="$folder/home" MFSCTL_VAULT_KEY_FILE="$folder/key"

# The app's folder of this project, with settings that lead to the gateway.
umask 077
cp -R app "$folder/app"
head -c 18 /dev/urandom | base64 | tr -d '\n' > "$folder/password"
"$mfsctl" lab up --user "alice:$folder/password" > "$folder/lab" 2> "$folder/lab.log" &
lab=$!
tries=0
while [ ! -s "$folder/lab" ]; do
  tries=$((tries + 1))
  [ "$tries" -le 100 ] && kill -0 "$lab" 2>/dev/null || { cat "$folder/lab.log" >&2; exit 1; }
  sleep 0.1
done
gateway=$(sed 's/.*"gateway":"\([^"]*\)".*/\1/' "$folder/lab")
printf 'EXPO_PUBLIC_AUTH_STRATEGY=mystrategy\nEXPO_PUBLIC_SG_URL=%s\n' "$gateway" > "$folder/app/.env"

plugins=$MFSCTL_HOME/data/plugins
mkdir -p "$plugins"
cp libmfs-strategy-mystrategy.so mfs-strategy-mystrategy.yaml "$plugins/"
"$mfsctl" --quiet strategy trust --yes "$plugins/libmfs-strategy-mystrategy.so"
"$mfsctl" --quiet vault init --generate --key-file "$folder/key"
"$mfsctl" session login --dir "$folder/app" --identifier alice --password-stdin < "$folder/password"
"$mfsctl" session refresh --dir "$folder/app"
"$mfsctl" session logout --dir "$folder/app"
