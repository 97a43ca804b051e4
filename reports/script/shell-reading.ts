import { shell } from './shell-words.ts';

/** Functions that read answers; \`status\` of a request without a response is 999. */
export const READING_FUNCTIONS = shell`
# body_of NUMBER
body_of() {
  awk 'body { print; next }
    /^HTTP\// && !begun { begun = 1; interim = $2 < 200; next }
    $0 == "" || $0 == "\r" { if (interim) begun = 0; else body = 1 }' "$DIR/answer.$1"
}

status_of() {
  awk '/^HTTP\// && $2 >= 200 { print $2 + 0; exit }' "$DIR/answer.$1"
}

# fields NUMBER NAME: each value of a field on a line.
fields() {
  printf '%s\n' "$1" | values_of "$2" | sed 's/^[0-9]* //'
}

# rows FROM-TO...: of each of these answers its number, its status and the operation that the request was meant for, or
# "none", in "$DIR/rows".
rows() {
  awk -v dir="$DIR" -v rows="$*" '
    { operation[$1] = $2 }
    END {
      count = split(rows, row, " ")
      for (at = 1; at <= count; at++) {
        split(row[at], bound, "-")
        for (number = bound[1] + 0; number <= bound[2] + 0; number++) print number, status(dir "/answer." number), operation[number]
      }
    }
    function status(file,    line, word, found) {
      found = 999
      while (found == 999 && (getline line < file) > 0) {
        if (line ~ /^HTTP\// && split(line, word, " ") > 1 && word[2] >= 200) found = word[2] + 0
      }
      close(file)
      return found
    }' "$DIR/operations" >"$DIR/rows"
}

# values_of NAME: of each answer whose number begins a line, a line with its number for each value of a field.
values_of() {
  awk -v dir="$DIR" -v name="$1" '
    {
      file = dir "/answer." $1
      begun = isInterim = 0
      while ((getline line < file) > 0) {
        sub(/\r$/, "", line)
        if (line ~ /^HTTP\// && !begun) {
          begun = 1
          split(line, word, " ")
          isInterim = word[2] < 200
        } else if (line == "") {
          if (!isInterim) break
          begun = 0
        } else if (!isInterim) {
          at = index(line, ":")
          if (tolower(substr(line, 1, at - 1)) == tolower(name)) {
            value = substr(line, at + 1)
            gsub(/^[ \t]+|[ \t]+$/, "", value)
            print $1 " " value
          }
        }
      }
      close(file)
    }'
}

# matches STATUS PATTERN...
matches() {
  found=$1
  shift
  for wanted in "$@"; do
    case $wanted in
      ?xx) case $found in "§{wanted%xx}"??) return 0 ;; esac ;;
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
  awk -v key="$1" '
    $3 == key && to && $1 == to + 1 { to = $1; next }
    $3 == key { if (to) print from "-" to; from = to = $1 }
    END { if (to) print from "-" to }' "$DIR/operations" >"$DIR/asked"
  # shellcheck disable=SC2046
  rows $(cat "$DIR/asked")
  last=$(awk '$2 == 401 || $2 == 403 || $2 == 429 { last = $1 } END { print last }' "$DIR/rows")
  [ -z "$last" ] || told=$(fields "$last" Retry-After | head -n 1)
  know_time
  asked=$NOW
  case $told in
    '') milliseconds "$2" ;;
    *[!0-9]*) RESULT=$((($(http_date "$told") + 1) * 1000 - $NOW)) ;;
    ????????????*) stop 3 "Retry-After of answer $last is too long to wait for." ;;
    *)
      decimal "$told"
      told=$RESULT
      milliseconds "$(awk -v number="$last" '$1 >= number { print $3; exit }' "$DIR/times")"
      RESULT=$(($told * 1000 + $RESULT - $NOW))
      ;;
  esac
  [ "$RESULT" -le 40000000000 ] || stop 3 "Retry-After of answer $last is too long to wait for."
  wait=$RESULT
  milliseconds "$2"
  [ -z "$3" ] || [ "$wait" -gt "$RESULT" ] || wait=$RESULT
  pass "$wait"
  read_clock
  # By so many milliseconds all waits together were longer than in the run that found it.
  milliseconds "$2"
  WAITED_LONGER=$(($WAITED_LONGER + $NOW - $asked - $RESULT))
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
`;

/** Functions that read JSON. */
export const JSON_FUNCTIONS = shell`
# values_of_json: of each answer whose number and status are a line, a line with "=", the number and the status, each value
# of its body with its path, its type and its text, or "!" if that is no JSON, and a line with "." at the end.
values_of_json() {
  awk -v dir="$DIR" '
    { print "=\t" $1 "\t" $2; read_body(dir "/answer." $1); print "." }
    function read_body(file,    line, begun, isInterim, isBody, word) {
      text = ""
      while ((getline line < file) > 0) {
        if (isBody) text = text line "\n"
        else if (line ~ /^HTTP\// && !begun) { begun = 1; split(line, word, " "); isInterim = word[2] < 200 }
        else if (line == "" || line == "\r") { if (isInterim) begun = 0; else isBody = 1 }
      }
      close(file)
      at = 1
      noted = 0
      isBroken = 0
      value("")
      space()
      if (at <= length(text)) isBroken = 1
      if (isBroken) print "!"
      else for (at = 1; at <= noted; at++) print notes[at]
    }
    function space() { while (substr(text, at, 1) ~ /^[ \t\r\n]$/) at++ }
    function note(path, type, raw) { notes[++noted] = path "\t" type "\t" raw }
    function value(path,    c) {
      if (isBroken) return
      space()
      c = substr(text, at, 1)
      if (c == "{") object(path)
      else if (c == "[") array(path)
      else if (c == "\"") note(path, "string", string())
      else if (c ~ /^[-0-9]$/) number(path)
      else if (substr(text, at, 4) == "true" || substr(text, at, 4) == "null") { note(path, substr(text, at, 4), ""); at += 4 }
      else if (substr(text, at, 5) == "false") { note(path, "false", ""); at += 5 }
      else isBroken = 1
    }
    function string(    from, c) {
      from = at
      for (at++; (c = substr(text, at, 1)) != "\""; at++) {
        if (c == "" || c == "\n") { isBroken = 1; return "" }
        if (c == "\\") at++
      }
      at++
      return substr(text, from + 1, at - from - 2)
    }
    function number(path,    raw) {
      match(substr(text, at, 400), /^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?/)
      if (RLENGTH < 1) { isBroken = 1; return }
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
      while (!isBroken) {
        space()
        if (substr(text, at, 1) != "\"") { isBroken = 1; return }
        name = string()
        space()
        if (substr(text, at, 1) != ":") { isBroken = 1; return }
        at++
        value(path "." name)
        space()
        if (substr(text, at, 1) == "}") { at++; return }
        if (substr(text, at, 1) != ",") isBroken = 1
        at++
      }
    }
    function array(path,    place) {
      note(path, "array", "")
      at++
      space()
      if (substr(text, at, 1) == "]") { at++; return }
      for (place = 0; !isBroken; place++) {
        value(path "[" place "]")
        space()
        if (substr(text, at, 1) == "]") { at++; return }
        if (substr(text, at, 1) != ",") isBroken = 1
        at++
      }
    }'
}
`;
