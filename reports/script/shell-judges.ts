import type { TrailExpectation } from '../../contract/trail.ts';
import { shell } from './shell-words.ts';

/** For each kind of expectation a function of a POSIX shell that returns 0 if the answers are as expected. */
export const JUDGES: Readonly<Record<TrailExpectation['expect'], string>> = {
  response: shell`
# expect_response NUMBER
expect_response() {
  show "$1"
  [ "$(status_of "$1")" != 999 ]
}`,
  status: shell`
# expect_one_of STATUSES FROM-TO...
expect_one_of() {
  judge_statuses 0 "$@"
}

# expect_none_of STATUSES FROM-TO...
expect_none_of() {
  judge_statuses 1 "$@"
}

# after_refusal NUMBER EXPECTATION...: shows something only if that answer is a refusal.
after_refusal() {
  case $(status_of "$1") in
    401 | 403 | 429) ;;
    *) printf 'Answer %s is no refusal.\n' "$1"; return 0 ;;
  esac
  shift
  "$@"
}

judge_statuses() {
  sense=$1 statuses=$2 answered=0
  shift 2
  rows "$@"
  while read -r number status _; do
    [ "$status" != 999 ] || continue
    answered=1
    # shellcheck disable=SC2086
    if matches "$status" $statuses; then result=0; else result=1; fi
    if [ "$result" -ne "$sense" ]; then
      show "$number"
      return 1
    fi
  done <"$DIR/rows"
  [ "$answered" = 1 ] || stop 3 'The answers did not come.'
  return 0
}`,
  field: shell`
# expect_field NUMBER|every NAME PATTERN needed|optional STATUS...: the field stands there once and matches.
expect_field() {
  asked=$1 name=$2 pattern=$3 need=$4
  shift 4
  if [ "$asked" = every ]; then rows "1-$LAST"; else rows "$asked-$asked"; fi
  while read -r number status operation; do
    [ "$asked" != every ] || [ "$operation" != none ] || continue
    [ "$status" != 999 ] || continue
    [ $# -eq 0 ] || matches "$status" "$@" || continue
    printf '%s\n' "$number"
  done <"$DIR/rows" >"$DIR/chosen"
  values_of "$name" <"$DIR/chosen" >"$DIR/values"
  sed 's/^[0-9]* //' "$DIR/values" | grep -Evn -- "$pattern" | sed 's/:.*//' >"$DIR/unlike"
  wrong=$(awk -v dir="$DIR" -v need="$need" '
    FILENAME == dir "/unlike" { unlike[$1] = 1; next }
    FILENAME == dir "/values" { line++; count[$1]++; if (line in unlike) odd[$1] = 1; next }
    odd[$1] || count[$1] > 1 || count[$1] + 0 == 0 && need == "needed" { print $1; exit }
  ' "$DIR/unlike" "$DIR/values" "$DIR/chosen")
  [ -n "$wrong" ] || return 0
  show "$wrong"
  return 1
}`,
  number: shell`
# expect_number NUMBER NAME LEAST MOST: MOST is a number, or a field that holds one.
expect_number() {
  show "$1"
  value=$(fields "$1" "$2" | head -n 1)
  case $4 in *[!0-9]*) most=$(fields "$1" "$4" | head -n 1) ;; *) most=$4 ;; esac
  case $value in '' | *[!-0-9]*) return 0 ;; esac
  case $most in '' | *[!0-9]*) most=$value ;; esac
  [ "$(calc "$value >= $3 && $value <= $most")" = 1.000 ]
}`,
  granted: shell`
# expect_granted LEAST MOST SECONDS one|any FROM-TO...: if they were sent in less than so many seconds, in one window or
# in any.
expect_granted() {
  least=$1 most=$2 within=$3 windows=$4 granted=0 sent=0
  shift 4
  rows "$@"
  while read -r number status _; do
    [ "$sent" -gt 0 ] || begun=$number
    sent=$(($sent + 1)) to=$number
    case $status in
      2??)
        granted=$(($granted + 1))
        printf '%s\n' "$number"
        ;;
      999) stop 3 "Answer $number did not come." ;;
    esac
  done <"$DIR/rows" >"$DIR/chosen"
  values_of X-RateLimit-Reset <"$DIR/chosen" | sed 's/^[0-9]* //' >"$DIR/values"
  printf '%s of %s requests were granted; expected are %s to %s.\n' "$granted" "$sent" "$least" "$most"
  [ "$granted" -ge "$least" ] || return 1
  [ "$granted" -gt "$most" ] || return 0
  apart=$(awk '/^[0-9]+$/ { if (!count++) least = most = $1; if ($1 < least) least = $1; if ($1 > most) most = $1 }
    END { print most - least }' "$DIR/values")
  if [ "$windows" = one ] && [ "$(calc "$apart >= $within - 1")" = 1.000 ]; then
    printf 'X-RateLimit-Reset says that a window began meanwhile.\n'
    return 0
  fi
  from=$(awk -v number="$begun" '$1 >= number { print $2; exit }' "$DIR/times")
  until=$(awk -v number="$to" '$1 >= number { print $3; exit }' "$DIR/times")
  if [ "$(calc "$until - $from >= $within")" = 1.000 ] && [ "$WAITED_LONGER" -gt 1000 ]; then
    printf 'The service had them wait longer, for what it then granted.\n'
    return 0
  fi
  [ "$(calc "$until - $from < $within")" = 1.000 ] || stop 3 "They took longer than $within s, so that they prove nothing."
  return 1
}`,
  limited: shell`
# expect_limited MOST FROM-TO...
expect_limited() {
  most=$1 limited=0
  shift
  rows "$@"
  while read -r number status _; do
    case $status in
      429) limited=$(($limited + 1)) ;;
      999) stop 3 "Answer $number did not come." ;;
    esac
  done <"$DIR/rows"
  printf '%s requests were answered 429; expected are at most %s.\n' "$limited" "$most"
  [ "$limited" -le "$most" ]
}`,
  fall: shell`
# expect_fall FROM TO MOST
expect_fall() {
  show "$1"
  show "$2"
  matches "$(status_of "$1")" 2xx && matches "$(status_of "$2")" 2xx || return 0
  limit=$(fields "$2" X-RateLimit-Limit)
  [ "$limit" = "$(fields "$1" X-RateLimit-Limit)" ] || return 0
  from=$(fields "$1" X-RateLimit-Remaining) to=$(fields "$2" X-RateLimit-Remaining)
  case "$from$to$limit" in '' | *[!0-9]*) return 0 ;; esac
  decimal "$from"
  from=$RESULT
  decimal "$to"
  to=$RESULT
  decimal "$limit"
  limit=$RESULT
  if [ "$(fields "$1" X-RateLimit-Reset)" != "$(fields "$2" X-RateLimit-Reset)" ]; then
    [ "$to" -lt $(($limit - $3)) ] || [ "$to" -ge "$limit" ] || return 0
  fi
  [ $(($from - $to)) -ge 1 ] && [ $(($from - $to)) -le "$3" ]
}`,
  'different remaining': shell`
# expect_different FROM-TO...
expect_different() {
  rows "$@"
  while read -r number status _; do
    case $status in 2??) printf '%s\n' "$number" ;; esac
  done <"$DIR/rows" >"$DIR/chosen"
  values_of X-RateLimit-Remaining <"$DIR/chosen" >"$DIR/left"
  values_of X-RateLimit-Reset <"$DIR/chosen" >"$DIR/resets"
  awk -v dir="$DIR" 'FILENAME == dir "/resets" { if (!($1 in reset)) reset[$1] = $2; next }
    $2 ~ /^-?[0-9]+$/ && !told[$1]++ { print $2, reset[$1] }' "$DIR/resets" "$DIR/left" >"$DIR/values"
  sort "$DIR/values" | uniq -d >"$DIR/repeated"
  [ ! -s "$DIR/repeated" ] || printf 'X-RateLimit-Remaining %s was told more than once.\n' "$(sed -n '1s/ .*//p' "$DIR/repeated")"
  [ ! -s "$DIR/repeated" ]
}`,
  'near reset': shell`
# expect_near_reset NUMBER DAY_LIMIT
expect_near_reset() {
  show "$1"
  reset=$(fields "$1" X-RateLimit-Reset) limit=$(fields "$1" X-RateLimit-Limit)
  case $reset in '' | *[!0-9]*) return 0 ;; esac
  window=60
  [ -n "$2" ] && [ "$limit" != "$2" ] || window=86400
  wait=0
  case $(status_of "$1") in 4??) wait=$(fields "$1" Retry-After | head -n 1) ;; esac
  case $wait in '' | *[!0-9]*) wait=0 ;; esac
  row=$(awk -v number="$1" '$1 >= number { print; exit }' "$DIR/times")
  earliest=$(printf '%s' "$row" | awk '{ print $2 }')
  latest=$(printf '%s' "$row" | awk '{ print $3 }')
  if ! can clock; then
    date=$(fields "$1" Date | head -n 1)
    [ -n "$date" ] || return 0
    earliest=$(http_date "$date") latest=$(($earliest + 2))
  fi
  printf 'The clock of the target showed %s to %s.\n' "$earliest" "$latest"
  [ "$(calc "$reset >= $earliest - 2 && $reset <= $latest + ($window > $wait ? $window : $wait) + 2")" = 1.000 ]
}`,
  form: shell`
# expect_form FORM
expect_form() {
  rows "1-$LAST"
  while read -r number status operation; do
    if has_form "$1" "$operation" "$status"; then printf '%s %s\n' "$number" "$status"; fi
  done <"$DIR/rows" >"$DIR/chosen"
  [ "$1" != json ] || keep_json
  wrong=$(values_of_json <"$DIR/chosen" | awk -F '\t' -v form="$1" '
    function begin() { wrong = root = entries = odd = twice = pets = quantities = statuses = ""; split("", type); split("", text); split("", seen) }
    function isWrong(    items) {
      if (form == "json") return wrong
      if (wrong) return 1
      if (form == "list") return !(root == "array" && !odd)
      if (form == "unique pets") return twice > 0
      if (form == "item") return root != "object"
      items = root == "array" ? entries + 0 : 1
      if (form == "petId") return pets + 0 != items
      if (form == "quantity") return quantities + 0 != items
      if (form == "status") return statuses + 0 != items
      if (form == "code") return type[".code"] != "string"
      if (form == "message") return type[".message"] != "string"
      if (form == "error status") return !(type[".status"] == "integer" && text[".status"] == status)
      if (form == "texts") return text[".code"] ~ /^[ ]*$/ && type[".code"] == "string" || text[".message"] ~ /^[ ]*$/ && type[".message"] == "string"
    }
    $1 == "=" { begin(); number = $2; status = $3; next }
    $1 == "." && NF == 1 { if (isWrong()) { print number; exit } next }
    $1 == "!" { wrong = 1; next }
    root == "" { root = $2 }
    { type[$1] = $2; text[$1] = $3 }
    $1 ~ /^\[[0-9]+\]$/ { entries++; if ($2 != "object") odd++ }
    $1 ~ /^(\[[0-9]+\])?[.]petId$/ && $2 == "integer" { if ($3 in seen) twice++; seen[$3] = 1; pets++ }
    $1 ~ /^(\[[0-9]+\])?[.]quantity$/ && $2 == "integer" { quantities++ }
    $1 ~ /^(\[[0-9]+\])?[.]status$/ && $2 == "string" && $3 ~ /^(available|pending|sold)$/ { statuses++ }')
  [ -n "$wrong" ] || return 0
  show "$wrong"
  return 1
}

# keep_json: keeps of what is chosen what says that it is JSON.
keep_json() {
  values_of Content-Type <"$DIR/chosen" | grep '^[0-9]* [Aa]pplication/.*[Jj][Ss][Oo][Nn]' >"$DIR/json"
  awk -v dir="$DIR" 'FILENAME == dir "/json" { isJson[$1] = 1; next } $1 in isJson' "$DIR/json" "$DIR/chosen" >"$DIR/values"
  cp "$DIR/values" "$DIR/chosen"
}

# has_form FORM OPERATION STATUS: whether the body of such an answer has that form.
has_form() {
  case $1 in
    json) [ "$2" != none ] && [ "$3" != 204 ] && [ "$3" != 304 ] ;;
    list | 'unique pets') [ "$2 $3" = 'listInventory 200' ] ;;
    item) [ "$2 $3" = 'updateInventory 200' ] ;;
    petId | quantity | status)
      case "$2 $3" in 'listInventory 200' | 'updateInventory 200') ;; *) return 1 ;; esac
      ;;
    *)
      case "$2 $3" in 'none '*) return 1 ;; *' 401' | 'updateInventory 400' | 'updateInventory 404') ;; *) return 1 ;; esac
      ;;
  esac
}`,
  pet: shell`
# expect_pet NUMBER PET there|absent QUANTITIES STATUS GRANTED REFUSED: QUANTITIES are set apart by spaces. It shows something
# only if one of the rows GRANTED is granted, and all of the rows REFUSED are refused. What is empty does not matter.
expect_pet() {
  [ "$(status_of "$1")" = 200 ] || { show "$1"; return 0; }
  answer=$1 pet=$2 presence=$3 quantities=$4 wanted=$5 granted=$6 refused=$7
  if [ -n "$granted" ]; then
    # shellcheck disable=SC2086
    rows $granted
    awk '$2 ~ /^2..$/ { found = 1 } END { exit !found }' "$DIR/rows" || { printf 'The update was not granted.\n'; return 0; }
  fi
  if [ -n "$refused" ]; then
    # shellcheck disable=SC2086
    rows $refused
    awk '$2 !~ /^[34]..$/ || $2 == 408 { found = 1 } END { exit !found }' "$DIR/rows" && { printf 'What had been refused was not.\n'; return 0; }
  fi
  printf '%s 200\n' "$answer" | values_of_json | awk -F '\t' -v pet="$pet" '
    { text[$1] = $3 }
    # As numbers, two that are equal as doubles would be one.
    $1 ~ /[.]petId$/ && ($3 "") == (pet "") { found = substr($1, 1, length($1) - 6); isThere = 1 }
    END { if (isThere) print "there", text[found ".quantity"], text[found ".status"]; else print "absent" }' >"$DIR/pet"
  printf 'Pet %s in answer %s: %s\n' "$pet" "$answer" "$(cat "$DIR/pet")"
  [ "$(awk '{ print $1 }' "$DIR/pet")" = "$presence" ] || return 1
  [ "$presence" = there ] || return 0
  quantity=$(awk '{ print $2 }' "$DIR/pet")
  case " $quantities " in *" $quantity "* | '  ') ;; *) return 1 ;; esac
  [ -z "$wanted" ] || [ "$(awk '{ print $3 }' "$DIR/pet")" = "$wanted" ]
}`,
};
