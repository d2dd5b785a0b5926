# oidc-agent against an issuer: an account by code with PKCE, a token, a forced refresh, and the account deleted, which revokes.
# Arguments: issuer, client, redirect address, user, Python, browse.py. The password comes on stdin.
set -euo pipefail
issuer=$1 client=$2 redirect=$3 user=$4 python=$5 browse=$6
read -r password
export OIDC_ENCRYPTION_PW=an-encryption-password
eval "$(oidc-agent --quiet --no-webserver --no-scheme)" >/dev/null
trap 'oidc-agent -k >/dev/null 2>&1' EXIT

oidc-gen --flow=code --no-url-call --no-webserver --no-scheme --confirm-default --prompt=none --pw-env -m \
  --issuer="$issuer" --client-id="$client" --client-secret= --redirect-uri="$redirect" \
  --scope="openid profile offline_access" backend >gen.txt 2>&1 </dev/null || { cat gen.txt >&2; exit 1; }
address=$(grep -o "$issuer/authorize?[^ ]*" gen.txt | head -n 1)
echo "address $address"
location=$(printf '%s\n' "$password" | "$python" -B "$browse" "$address" "$user")
oidc-gen --codeExchange="$location" --confirm-default --prompt=none --pw-env >exchange.txt 2>&1 </dev/null ||
  { cat exchange.txt >&2; exit 1; }
first=$(oidc-token backend)
second=$(oidc-token --force-new backend)
third=$(oidc-token --force-new backend)
printf 'token %s\n' "$first" "$second" "$third"
oidc-gen -d backend --confirm-yes --prompt=none --pw-env >delete.txt 2>&1 </dev/null || { cat delete.txt >&2; exit 1; }
cat delete.txt
