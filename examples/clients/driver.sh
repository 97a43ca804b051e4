#!/bin/sh
# A driver for `npx stockcheck certify -- sh driver.sh`: any POSIX shell, with curl.
#
# Replace the call of curl with your own client. What has to stay: what comes in by environment variables, one JSON
# object on the last line of stdout, and exit code 0 for an error that the service answered, too.
set -eu

body=$(mktemp)
trap 'rm -f "$body"' EXIT

if [ "$STOCKCHECK_OPERATION" = listInventory ]; then
  set -- "$STOCKCHECK_BASE_URL/inventory"
else
  set -- --request PATCH --header 'Content-Type: application/json' \
    --data "{\"quantity\":$STOCKCHECK_QUANTITY}" "$STOCKCHECK_BASE_URL/inventory/$STOCKCHECK_PET_ID"
fi

# --retry waits what Retry-After says, in seconds or as a date (curl 7.66 or later), and not for 400, 401 or 404.
# Where that would take it past --retry-max-time, curl gives up.
status=$(curl --silent --retry 4 --retry-max-time 60 --output "$body" --write-out '%{http_code}' \
  --header "Authorization: Bearer $STOCKCHECK_API_KEY" "$@") || status=000

# No answer came: a connection was refused, closed or timed out.
if [ "$status" = 000 ]; then
  echo '{"ok":false,"error":{"code":null,"message":"no answer","status":null}}'
  exit
fi

# The body is passed on without being parsed, so that no digit is lost; taking line breaks out makes it one line.
if [ "$status" = 200 ]; then
  printf '{"ok":true,"value":%s}\n' "$(tr -d '\r\n' <"$body")"
elif [ "$(tr -d ' \t\r\n' <"$body" | cut -c 1)" = '{' ] && { [ "$status" != 429 ] || grep -q '"code"' "$body"; }; then
  printf '{"ok":false,"error":%s}\n' "$(tr -d '\r\n' <"$body")"
else
  # The body of a 429 may be empty, no JSON, or another object.
  printf '{"ok":false,"error":{"code":"unreadable_error","message":"HTTP status %s","status":%s}}\n' "$status" "$status"
fi
