import { shell } from './shell-words.ts';

/** Functions of a POSIX shell that every script of a finding begins with: sending, waiting, and the control contract. */
export const SENDING_FUNCTIONS = shell`
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

# calc EXPRESSION: prints a number.
calc() {
  awk "BEGIN { printf \"%.3f\", ($1) }"
}

# milliseconds SECONDS: sets RESULT. A shell counts in whole numbers, and needs no other program for it.
milliseconds() {
  case $1 in
    *.*) part=§{1#*.}000 ;;
    *) part=000 ;;
  esac
  RESULT=$((§{1%%.*} * 1000 + 1§{part%"§{part#???}"} - 1000))
}

# decimal DIGITS: sets RESULT without leading zeros, by which a shell would count in eights.
decimal() {
  RESULT=§{1#"§{1%%[!0]*}"}
  RESULT=§{RESULT:-0}
}

# seconds MILLISECONDS: sets RESULT.
seconds() {
  part=$((1000 + $1 % 1000))
  RESULT=$(($1 / 1000)).§{part#1}
}

# read_clock: sets NOW to Unix milliseconds of the target's clock.
read_clock() {
  if can clock; then
    RESULT=$(control GET /)
    RESULT=§{RESULT#*'"now"'}
    RESULT=§{RESULT#*:}
    RESULT=§{RESULT#"§{RESULT%%[0-9]*}"}
    RESULT=§{RESULT%%[!0-9.]*}
    if [ -z "$RESULT" ]; then
      # What was answered is judged by the time that was known before.
      [ -n "$NOW" ] || stop 3 'The control URL does not tell the time.'
      return 0
    fi
    milliseconds "$RESULT"
  else
    milliseconds "$(date +%s)"
  fi
  NOW=$RESULT
}

# know_time: NOW is what the clock showed last, if only a clock that can be moved is asked what a moment costs.
know_time() {
  if [ -z "$NOW" ] || ! can clock; then read_clock; fi
}

# pause SECONDS: lets time of the target pass.
pause() {
  milliseconds "$1"
  pass "$RESULT"
}

# pass MILLISECONDS
pass() {
  [ "$1" -gt 0 ] || return 0
  if can clock; then
    seconds "$1"
    control POST /clock "{\"advanceSeconds\": $RESULT}" >/dev/null || stop 3 'The control clock cannot be moved.'
  else
    whole=$((($1 + 999) / 1000))
    printf 'Waiting %s s ...\n' "$whole" >&2
    sleep "$whole"
  fi
  NOW=
}

# set_moment SECONDS: so much of the trail is over now.
set_moment() {
  know_time
  milliseconds "$1"
  BEGAN=$(($NOW - $RESULT))
}

# at SECONDS: what took its time takes no less now; what takes longer now moves what follows, unless KEEPS_PACE is set.
at() {
  know_time
  milliseconds "$1"
  lead=$(($BEGAN + $RESULT - $NOW))
  if [ "$lead" -ge 500 ]; then
    pass "$lead"
  elif [ "$lead" -lt 0 ] && [ -z "$KEEPS_PACE" ]; then
    BEGAN=$(($NOW - $RESULT))
  fi
}

# pause_until SECONDS: goes on when so much of the trail is over.
pause_until() {
  read_clock
  milliseconds "$1"
  pass $(($BEGAN + $RESULT - $NOW))
}

# same_time_of_day UNIX_SECONDS: goes on to the same moment of the target's day, if its clock can be moved.
same_time_of_day() {
  can clock || return 0
  read_clock
  milliseconds "$1"
  pass $(((($RESULT - $NOW) % 86400000 + 86400000) % 86400000))
}

# issue NUMBER PLAN LABEL ORDER: sets KEY_NUMBER to a fresh key, or sees that it is set.
issue() {
  if can keys; then
    issued=$(control POST /keys "$4" | tr -d '\n' | sed -n 's/.*"key"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p')
    [ -n "$issued" ] || stop 3 'The control URL issues no key.'
    eval "KEY_$1=\$issued"
  else
    case $4 in *usedToday*) stop 3 'It takes a control URL that issues keys which were used today.' ;; esac
    eval "[ -n \"\$KEY_$1\" ]" || stop 2 "Set KEY_$1 to a key of the plan $2 ($3) that nobody uses meanwhile."
  fi
  eval "VALID=\"\$VALID
Authorization: Bearer \$KEY_$1
\""
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
  VALID=
}

# keep_inventory: what is there now is put back at the end.
keep_inventory() {
  if [ ! -s "$DIR/before" ] && can keys; then
    issue 0 free 'the one that reads the inventory' '{"plan":"free"}'
    # shellcheck disable=SC2086
    curl -q -sS -f -m 30 -H "Authorization: Bearer $KEY_0" $CURL_OPTIONS "$TARGET/inventory" >"$DIR/before" || : >"$DIR/before"
    PUT_BACK=put_back_inventory
  fi
}

# replace_inventory JSON: what was there is put back at the end.
replace_inventory() {
  can inventory || stop 3 'It takes a control URL that replaces the inventory.'
  keep_inventory
  control PUT /inventory "$1" >/dev/null || stop 3 'The inventory cannot be replaced.'
}

put_back_inventory() {
  [ ! -s "$DIR/before" ] || control PUT /inventory "$(cat "$DIR/before")" >/dev/null || printf 'The inventory was not put back.\n' >&2
}

begin() {
  LAST=0
  DONE=0
  WAITED_LONGER=0
  VALID=
  IS_ALTERED=1
  NOW=
  : >"$DIR/requests"
  : >"$DIR/operations"
  : >"$DIR/times"
  rm -f "$DIR"/answer.*
}

# send OPERATION KEY TIMES METHOD PATH none|text|base64 BODY FIELD...: to be sent with the others before the next go.
# An altered key may be the key itself, if that has the same character at the place; then nothing is shown.
send() {
  operation=$1 key=$2 times=$3 method=$4 path=$5 form=$6 body=$7
  shift 7
  SENT=$(($LAST + 1))
  if [ "$key" = 0 ]; then
    for field in "$@"; do
      case $VALID in *"
$field
"*) IS_ALTERED= ;; esac
    done
  fi
  case $form in
    text) printf '%s' "$body" >"$DIR/body.$SENT" ;;
    base64) printf '%s' "$body" | base64 -d >"$DIR/body.$SENT" ;;
  esac
  {
    printf 'begin %s %s %s %s\n' "$SENT" "$times" "$operation" "$key"
    printf 'url %s\nrequest-target %s\n' "$ORIGIN/" "$BASE_PATH$path"
    if [ "$method" = HEAD ]; then printf 'head\n'; else printf 'request %s\n' "$method"; fi
    case " $* " in *[Cc]ontent-[Tt]ype*) ;; *) printf 'header Content-Type:\n' ;; esac
    for field in "$@"; do
      case $field in *': ') field="§{field%: };" ;; esac
      printf 'header %s\n' "$field"
    done
    [ "$form" = none ] || printf 'data-binary @%s\n' "$DIR/body.$SENT"
    printf 'end\n'
  } >>"$DIR/requests"
  LAST=$(($LAST + $times))
}

# options: of the requests that were noted, what curl is told in its file of options.
options() {
  awk -v dir="$DIR" '
    function line(text,    name) {
      if (text !~ / /) return text "\n"
      name = substr(text, 1, index(text, " ") - 1)
      text = substr(text, length(name) + 2)
      gsub(/[\\"]/, "\\\\&", text)
      return name " = \"" text "\"\n"
    }
    BEGIN {
      common = "silent\nwrite-out = \"%{exitcode} \"\ninclude\npath-as-is\nhttp1.1\nmax-time = 30\n" \
        "header = \"User-Agent:\"\nheader = \"Accept:\"\nheader = \"Expect:\"\n"
    }
    /^begin [0-9]/ { first = $2; times = $3; named = $4 " " $5; request = common; next }
    $0 != "end" { request = request line($0); next }
    {
      for (number = first; number < first + times; number++) {
        printf("%s%soutput = \"%s/answer.%d\"\n", begun++ ? "next\n" : "", request, dir, number)
        print number, named >>(dir "/operations")
      }
    }' "$DIR/requests"
}

# go CONNECTIONS: sends what was noted, one after the other on one connection, or at once.
go() {
  know_time
  seconds "$NOW"
  before=$RESULT
  options >"$DIR/options"
  if [ "$1" -gt 1 ]; then
    # shellcheck disable=SC2086
    curl -q -s --parallel --parallel-immediate --parallel-max "$1" $CURL_OPTIONS --config "$DIR/options" >"$DIR/ends" 2>"$DIR/errors"
  else
    # shellcheck disable=SC2086
    curl -q -s $CURL_OPTIONS --config "$DIR/options" >"$DIR/ends" 2>"$DIR/errors"
  fi
  [ $? -ne 2 ] || stop 3 'This curl does not know all options that the script needs; 7.83 does.'
  read_clock
  seconds "$NOW"
  printf '%s %s %s\n' "$LAST" "$before" "$RESULT" >>"$DIR/times"
  : >"$DIR/requests"
  # There is no line end in it, which read counts as an end.
  read -r ends <"$DIR/ends" || :
  case $DONE-$ends in
    0-6 | 0-6\ * | 0-7 | 0-7\ * | 0-35 | 0-35\ * | 0-60 | 0-60\ *) stop 3 "$ORIGIN cannot be reached." ;;
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
`;

/** Functions that cut and alter keys, for those that are presented otherwise than as they are. */
export const KEY_FUNCTIONS = shell`
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
`;
