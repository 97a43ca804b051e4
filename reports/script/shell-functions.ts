/** Functions of a POSIX shell that every script of a finding begins with: sending, waiting, and the control contract. */
export const SENDING_FUNCTIONS = String.raw`
LC_ALL=C
export LC_ALL

# stop CODE MESSAGE
stop() {
  printf '%s\n' "$2" >&2
  exit "$1"
}

for tool in curl awk sed mktemp; do
  command -v "$tool" >/dev/null || stop 3 "$tool is missing, so nothing was sent."
done

DIR=$(mktemp -d) || stop 3 'There is no place for temporary files.'
PUT_BACK=:
trap '$PUT_BACK; rm -rf "$DIR"' EXIT
trap 'exit 3' HUP INT TERM

ORIGIN=$(printf '%s' "$TARGET" | sed 's|^\([a-zA-Z]*://[^/]*\).*|\1|')
BASE_PATH=$(printf '%s' "$TARGET" | sed 's|^[a-zA-Z]*://[^/]*||; s|/*$||')

# control METHOD PATH [JSON]: calls the control contract and prints what it answers.
control() {
  if [ $# -eq 3 ]; then
    printf '%s' "$3" >"$DIR/order"
    # shellcheck disable=SC2086
    curl -q -sS -f -m 30 -X "$1" -H 'Content-Type: application/json' --data-binary @"$DIR/order" $CURL_OPTIONS "$CONTROL$2"
  else
    # shellcheck disable=SC2086
    curl -q -sS -f -m 30 -X "$1" $CURL_OPTIONS "$CONTROL$2"
  fi
}

CAN=
if [ -n "$CONTROL" ]; then
  CAN=$(control GET /) || stop 3 "The control URL $CONTROL does not answer. Set CONTROL, or leave it empty if there is none."
fi

# can CAPABILITY: whether the control contract offers it.
can() {
  case $CAN in *'"'"$1"'"'*) return 0 ;; *) return 1 ;; esac
}

# server_time: Unix seconds of the target's clock.
server_time() {
  if can clock; then
    control GET / | sed -n 's/.*"now"[[:space:]]*:[[:space:]]*\([0-9.]*\).*/\1/p'
  else
    date +%s
  fi
}

# calc EXPRESSION: prints a number.
calc() {
  awk "BEGIN { printf \"%.3f\", ($1) }"
}

# pause SECONDS: lets time of the target pass.
pause() {
  seconds=$(calc "($1) > 0 ? ($1) : 0")
  if can clock; then
    control POST /clock "{\"advanceSeconds\": $seconds}" >/dev/null || stop 3 'The control clock cannot be moved.'
  else
    whole=$(calc "int($seconds) + ($seconds > int($seconds))")
    [ "$whole" = 0.000 ] || printf 'Waiting %s s ...\n' "$whole" >&2
    sleep "$(printf '%.0f' "$whole")"
  fi
}

# set_moment SECONDS: so much of the trail is over now.
set_moment() {
  BEGAN=$(calc "$(server_time) - ($1)")
}

# at SECONDS: what took its time takes no less now; what takes longer now moves what follows, unless KEEPS_PACE is set.
at() {
  lead=$(calc "$BEGAN + $1 - $(server_time)")
  case $lead in
    -*) [ -n "$KEEPS_PACE" ] || set_moment "$1" ;;
    0.[0-4]*) ;;
    *) pause "$lead" ;;
  esac
}

# pause_until SECONDS: goes on when so much of the trail is over.
pause_until() {
  pause "$BEGAN + $1 - $(server_time)"
}

# same_time_of_day UNIX_SECONDS: goes on to the same moment of the target's day, if its clock can be moved.
same_time_of_day() {
  can clock || return 0
  now=$(server_time)
  pause "(($1 - $now) % 86400 + 86400) % 86400"
}

# issue NUMBER PLAN LABEL ORDER: sets KEY_NUMBER to a fresh key, or sees that it is set.
issue() {
  if can keys; then
    issued=$(control POST /keys "$4" | sed -n 's/.*"key"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
    [ -n "$issued" ] || stop 3 'The control URL issues no key.'
    eval "KEY_$1=\$issued"
  else
    case $4 in *usedToday*) stop 3 'It takes a control URL that issues keys which were used today.' ;; esac
    eval "[ -n \"\$KEY_$1\" ]" || stop 2 "Set KEY_$1 to a key of the plan $2 ($3) that nobody uses meanwhile."
  fi
}

# revoked_key NUMBER: sees that KEY_NUMBER is set to a key that was revoked.
revoked_key() {
  if eval "[ -z \"\$KEY_$1\" ]"; then
    can keys || stop 2 "Set KEY_$1 to a key that was revoked."
    issue "$1" free 'to be revoked' '{"plan":"free"}'
    revoke "$1"
  fi
}

# revoke NUMBER
revoke() {
  can keys || stop 3 'It takes a control URL that revokes keys.'
  eval "control DELETE \"/keys/\$KEY_$1\"" >/dev/null || stop 3 'The control URL revokes no key.'
}

# replace_inventory JSON: what was there is put back at the end.
replace_inventory() {
  can inventory || stop 3 'It takes a control URL that replaces the inventory.'
  if [ ! -s "$DIR/before" ] && can keys; then
    issue 0 free 'the one that reads the inventory' '{"plan":"free"}'
    # shellcheck disable=SC2086
    curl -q -sS -f -m 30 -H "Authorization: Bearer $KEY_0" $CURL_OPTIONS "$TARGET/inventory" >"$DIR/before" || : >"$DIR/before"
    PUT_BACK=put_back_inventory
  fi
  control PUT /inventory "$1" >/dev/null || stop 3 'The inventory cannot be replaced.'
}

put_back_inventory() {
  [ ! -s "$DIR/before" ] || control PUT /inventory "$(cat "$DIR/before")" >/dev/null || printf 'The inventory was not put back.\n' >&2
}

# quote TEXT: as a file of options of curl takes it.
quote() {
  printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"
}

begin() {
  LAST=0
  DONE=0
  WAITED_LONGER=0
  : >"$DIR/options"
  : >"$DIR/operations"
  : >"$DIR/times"
  rm -f "$DIR"/answer.*
}

# send OPERATION KEY TIMES METHOD PATH none|text|base64 BODY FIELD...: to be sent with the others before the next go.
send() {
  operation=$1 key=$2 times=$3 method=$4 path=$5 form=$6 body=$7
  shift 7
  SENT=$(($LAST + 1))
  {
    printf 'url = %s\nrequest-target = %s\n' "$(quote "$ORIGIN/")" "$(quote "$BASE_PATH$path")"
    if [ "$method" = HEAD ]; then printf 'head\n'; else printf 'request = %s\n' "$(quote "$method")"; fi
    printf 'silent\nwrite-out = "%%{exitcode} "\ninclude\npath-as-is\nhttp1.1\nmax-time = 30\nheader = "User-Agent:"\nheader = "Accept:"\nheader = "Expect:"\n'
    case " $* " in *[Cc]ontent-[Tt]ype*) ;; *) printf 'header = "Content-Type:"\n' ;; esac
    for field in "$@"; do
      case $field in *': ') field="$(printf '%s' "$field" | sed 's/: $//');" ;; esac
      printf 'header = %s\n' "$(quote "$field")"
    done
    case $form in
      text) printf '%s' "$body" >"$DIR/body.$SENT" ;;
      base64) printf '%s' "$body" | base64 -d >"$DIR/body.$SENT" ;;
    esac
    [ "$form" = none ] || printf 'data-binary = %s\n' "$(quote "@$DIR/body.$SENT")"
  } >"$DIR/request"
  LAST=$(($LAST + $times))
  awk -v first="$SENT" -v last="$LAST" -v begun="$(wc -c <"$DIR/options")" -v dir="$DIR" '
    { request = request $0 "\n" }
    END {
      for (number = first; number <= last; number++)
        printf("%s%soutput = \"%s/answer.%d\"\n", (number > first || begun > 0) ? "next\n" : "", request, dir, number)
    }' "$DIR/request" >"$DIR/options.new"
  cat "$DIR/options.new" >>"$DIR/options"
  awk -v first="$SENT" -v last="$LAST" -v operation="$operation" -v key="$key" '
    BEGIN { for (number = first; number <= last; number++) print number, operation, key }' >>"$DIR/operations"
}

# go CONNECTIONS: sends what was noted, one after the other on one connection, or at once.
go() {
  before=$(server_time)
  if [ "$1" -gt 1 ]; then
    # shellcheck disable=SC2086
    curl -q -s --parallel --parallel-immediate --parallel-max "$1" $CURL_OPTIONS --config "$DIR/options" >"$DIR/ends" 2>"$DIR/errors"
  else
    # shellcheck disable=SC2086
    curl -q -s $CURL_OPTIONS --config "$DIR/options" >"$DIR/ends" 2>"$DIR/errors"
  fi
  [ $? -ne 2 ] || stop 3 'This curl does not know all options that the script needs; 7.83 does.'
  printf '%s %s %s\n' "$LAST" "$before" "$(server_time)" >>"$DIR/times"
  : >"$DIR/options"
  case $DONE-$(cat "$DIR/ends") in
    0-6\ * | 0-7\ * | 0-35\ * | 0-60\ *) stop 3 "$ORIGIN cannot be reached." ;;
  esac
  while [ "$DONE" -lt "$LAST" ]; do
    DONE=$(($DONE + 1))
    [ -s "$DIR/answer.$DONE" ] || printf 'HTTP/1.1 999 no response\n\n' >"$DIR/answer.$DONE"
  done
}

SINCE=0
DISTANCE=1

# shift_attempts: sends a list now and then, each time one attempt later than before: what a target does to every n-th
# request would otherwise keep in step with the attempts, and never meet the request that shows it.
shift_attempts() {
  SINCE=$(($SINCE + 1))
  if [ "$SINCE" -lt "$DISTANCE" ] || ! can keys; then return 0; fi
  SINCE=0
  DISTANCE=$(($DISTANCE + 1))
  begin
  issue 0 free 'for a list between attempts' '{"plan":"free"}'
  send listInventory 0 1 GET /inventory none '' "Authorization: Bearer $KEY_0"
  go 1
}
`.trim();

/** Functions that read answers; \`status\` of a request without a response is 999. */
export const READING_FUNCTIONS = String.raw`
# head_of NUMBER: the status line and the fields of an answer.
head_of() {
  awk '{ sub(/\r$/, "") }
    /^HTTP\// && !begun { begun = 1; interim = $2 < 200; if (!interim) print; next }
    $0 == "" { if (!interim) exit; begun = 0; next }
    !interim { print }' "$DIR/answer.$1"
}

# body_of NUMBER
body_of() {
  awk 'body { print; next }
    /^HTTP\// && !begun { begun = 1; interim = $2 < 200; next }
    $0 == "" || $0 == "\r" { if (interim) begun = 0; else body = 1 }' "$DIR/answer.$1"
}

status_of() {
  head_of "$1" | awk 'NR == 1 { print $2 }'
}

# fields NUMBER NAME: each value of a field on a line.
fields() {
  head_of "$1" | awk -v name="$2" 'NR > 1 {
    at = index($0, ":")
    if (tolower(substr($0, 1, at - 1)) == tolower(name)) {
      value = substr($0, at + 1)
      gsub(/^[ \t]+|[ \t]+$/, "", value)
      print value
    }
  }'
}

# operation_of NUMBER: the operation that the request was meant for, or "none".
operation_of() {
  awk -v number="$1" '$1 == number { print $2 }' "$DIR/operations"
}

# matches STATUS PATTERN...
matches() {
  found=$1
  shift
  for wanted in "$@"; do
    case $wanted in
      ?xx) [ "$(printf '%.1s' "$found")xx" != "$wanted" ] || return 0 ;;
      *) [ "$found" != "$wanted" ] || return 0 ;;
    esac
  done
  return 1
}

# show NUMBER: prints what an answer was.
show() {
  printf 'Answer %s: %s' "$1" "$(status_of "$1" | sed 's/^999$/no response/')"
  for name in X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset Retry-After Content-Type; do
    value=$(fields "$1" "$name")
    [ -z "$value" ] || printf ', %s %s' "$name" "$value"
  done
  printf '\n'
  body_of "$1" | head -c 300
  printf '\n'
}

# wait_as_told KEY SECONDS [or-longer]: as long as the last refusal of a key asks to wait, or so long if none does.
wait_as_told() {
  told=
  for number in $(awk -v key="$1" '$3 == key { print $1 }' "$DIR/operations" | sort -rn); do
    case $(status_of "$number") in
      401 | 403 | 429)
        told=$(fields "$number" Retry-After | head -n 1)
        last=$number
        break
        ;;
    esac
  done
  asked=$(server_time)
  case $told in
    '') left=$2 ;;
    *[!0-9]*) left=$(calc "$(http_date "$told") - $(server_time) + 1") ;;
    *) left=$(calc "$told - ($(server_time) - $(awk -v number="$last" '$1 >= number { print $3; exit }' "$DIR/times"))") ;;
  esac
  [ -z "$3" ] || left=$(calc "$left > $2 ? $left : $2")
  pause "$left"
  # By so much all waits together were longer than in the run that found it.
  WAITED_LONGER=$(calc "$WAITED_LONGER + $(server_time) - $asked - $2")
}

# http_date TEXT: Unix seconds.
http_date() {
  printf '%s\n' "$1" | awk '{
    gsub(/[-,]/, " ")
    day = $2; month = $3; year = $4; split($5, clock, ":")
    if ($3 ~ /^[0-9]/) { day = $3; month = $2; year = $5; split($4, clock, ":") }
    if (year < 100) year += 2000
    month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", month) + 2) / 3
    if (month < 3) { year--; month += 12 }
    days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * (month - 3) + 2) / 5) + day - 719469
    printf "%d", days * 86400 + clock[1] * 3600 + clock[2] * 60 + clock[3]
  }'
}
`.trim();

/** Functions that cut and alter keys, for those that are presented otherwise than as they are. */
export const KEY_FUNCTIONS = String.raw`
# piece KEY FROM TO [upper|lower|swapped|backwards|changed]: a stretch of a key; ends below 0 count from its end.
piece() {
  altered=$1
  case $4 in
    upper) altered=$(printf '%s' "$1" | tr 'a-z' 'A-Z') ;;
    lower) altered=$(printf '%s' "$1" | tr 'A-Z' 'a-z') ;;
    swapped) altered=$(printf '%s' "$1" | tr 'a-zA-Z' 'A-Za-z') ;;
    backwards) altered=$(printf '%s' "$1" | awk '{ for (i = length($0); i > 0; i--) printf "%s", substr($0, i, 1) }') ;;
  esac
  altered=$(printf '%s' "$altered" | awk -v from="$2" -v to="$3" '{
    size = length($0)
    if (to == "") to = size
    if (from < 0) from += size
    if (to < 0) to += size
    printf "%s", substr($0, from + 1, to - from)
  }')
  if [ "$4" = changed ]; then
    case $altered in [a-vA-V]*) altered=9 ;; *) altered=A ;; esac
  fi
  printf '%s' "$altered"
}

in_base64() {
  printf '%s' "$1" | base64 | tr -d '\n'
}
`.trim();

/** Functions that read JSON. */
export const JSON_FUNCTIONS = String.raw`
# json_of NUMBER: the body of an answer, a value on each line: its path, its type and its text; "!" if it is no JSON.
json_of() {
  body_of "$1" | awk '
    { text = text $0 "\n" }
    END { at = 1; out = ""; value(""); space(); if (at <= length(text)) bad(); printf "%s", out }
    function bad() { print "!"; exit }
    function space() { while (substr(text, at, 1) ~ /^[ \t\r\n]$/) at++ }
    function note(path, type, raw) { out = out path "\t" type "\t" raw "\n" }
    function value(path,    c) {
      if (broken) return
      space()
      c = substr(text, at, 1)
      if (c == "{") object(path)
      else if (c == "[") array(path)
      else if (c == "\"") note(path, "string", string())
      else if (c ~ /^[-0-9]$/) number(path)
      else if (substr(text, at, 4) == "true" || substr(text, at, 4) == "null") { note(path, substr(text, at, 4), ""); at += 4 }
      else if (substr(text, at, 5) == "false") { note(path, "false", ""); at += 5 }
      else bad()
    }
    function string(    from, c) {
      from = at
      for (at++; (c = substr(text, at, 1)) != "\""; at++) {
        if (c == "" || c == "\n") bad()
        if (c == "\\") at++
      }
      at++
      return substr(text, from + 1, at - from - 2)
    }
    function number(path,    raw) {
      match(substr(text, at, 400), /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?/)
      if (RLENGTH < 1) bad()
      raw = substr(text, at, RLENGTH)
      at += RLENGTH
      if (raw ~ /[.eE]/ && raw + 0 == int(raw + 0)) raw = sprintf("%d", raw)
      note(path, raw ~ /[.eE]/ ? "number" : "integer", raw)
    }
    function object(path,    name) {
      note(path, "object", "")
      at++
      space()
      if (substr(text, at, 1) == "}") { at++; return }
      for (;;) {
        space()
        if (substr(text, at, 1) != "\"") bad()
        name = string()
        space()
        if (substr(text, at, 1) != ":") bad()
        at++
        value(path "." name)
        space()
        if (substr(text, at, 1) == "}") { at++; return }
        if (substr(text, at, 1) != ",") bad()
        at++
      }
    }
    function array(path,    index_) {
      note(path, "array", "")
      at++
      space()
      if (substr(text, at, 1) == "]") { at++; return }
      for (index_ = 0; ; index_++) {
        value(path "[" index_ "]")
        space()
        if (substr(text, at, 1) == "]") { at++; return }
        if (substr(text, at, 1) != ",") bad()
        at++
      }
    }'
}
`.trim();
