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
  awk '/^HTTP\// && $2 >= 200 { print $2; exit }' "$DIR/answer.$1"
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
