import type { TrailExpectation } from '../../contract/trail.ts';

/** For each kind of expectation a function of a POSIX shell that returns 0 if the answers are as expected. */
export const JUDGES: Readonly<Record<TrailExpectation['expect'], string>> = {
  response: String.raw`
# expect_response NUMBER
expect_response() {
  show "$1"
  [ "$(status_of "$1")" != 999 ]
}`,
  status: String.raw`
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
  for row in "$@"; do
    number=$(printf '%s' "$row" | sed 's/-.*//')
    to=$(printf '%s' "$row" | sed 's/.*-//')
    while [ "$number" -le "$to" ]; do
      status=$(status_of "$number")
      if [ "$status" != 999 ]; then
        answered=$(($answered + 1))
        # shellcheck disable=SC2086
        if matches "$status" $statuses; then result=0; else result=1; fi
        if [ "$result" -ne "$sense" ]; then
          show "$number"
          return 1
        fi
      fi
      number=$(($number + 1))
    done
  done
  [ "$answered" -gt 0 ] || stop 3 'The answers did not come.'
  return 0
}`,
  field: String.raw`
# expect_field NUMBER|every NAME PATTERN needed|optional STATUS...: the field stands there once and matches.
expect_field() {
  asked=$1 name=$2 pattern=$3 need=$4
  shift 4
  number=0
  while [ "$number" -lt "$LAST" ]; do
    number=$(($number + 1))
    [ "$asked" = every ] || [ "$asked" = "$number" ] || continue
    [ "$asked" != every ] || [ "$(operation_of "$number")" != none ] || continue
    status=$(status_of "$number")
    [ "$status" != 999 ] || continue
    [ $# -eq 0 ] || matches "$status" "$@" || continue
    fields "$number" "$name" >"$DIR/values"
    count=$(wc -l <"$DIR/values")
    [ "$need" = needed ] || [ "$count" -gt 0 ] || continue
    [ "$count" -eq 1 ] && grep -Eq -- "$pattern" "$DIR/values" && continue
    show "$number"
    return 1
  done
  return 0
}`,
  number: String.raw`
# expect_number NUMBER NAME LEAST MOST: MOST is a number, or a field that holds one.
expect_number() {
  show "$1"
  value=$(fields "$1" "$2" | head -n 1)
  case $4 in *[!0-9]*) most=$(fields "$1" "$4" | head -n 1) ;; *) most=$4 ;; esac
  case $value in '' | *[!-0-9]*) return 0 ;; esac
  case $most in '' | *[!0-9]*) most=$value ;; esac
  [ "$(calc "$value >= $3 && $value <= $most")" = 1.000 ]
}`,
  granted: String.raw`
# expect_granted LEAST MOST SECONDS one|any FROM-TO...: if they were sent in less than so many seconds, in one window or
# in any.
expect_granted() {
  least=$1 most=$2 within=$3 windows=$4 granted=0 sent=0
  begun=$(printf '%s' "$5" | sed 's/-.*//')
  shift 4
  : >"$DIR/values"
  for row in "$@"; do
    number=$(printf '%s' "$row" | sed 's/-.*//')
    to=$(printf '%s' "$row" | sed 's/.*-//')
    while [ "$number" -le "$to" ]; do
      sent=$(($sent + 1))
      case $(status_of "$number") in
        2??)
          granted=$(($granted + 1))
          fields "$number" X-RateLimit-Reset >>"$DIR/values"
          ;;
        999) stop 3 "Answer $number did not come." ;;
      esac
      number=$(($number + 1))
    done
  done
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
  if [ "$(calc "$until - $from >= $within")" = 1.000 ] && [ "$(calc "$WAITED_LONGER > 1")" = 1.000 ]; then
    printf 'The service had them wait longer, for what it then granted.\n'
    return 0
  fi
  [ "$(calc "$until - $from < $within")" = 1.000 ] || stop 3 "They took longer than $within s, so that they prove nothing."
  return 1
}`,
  limited: String.raw`
# expect_limited MOST FROM-TO...
expect_limited() {
  most=$1 limited=0
  shift
  for row in "$@"; do
    number=$(printf '%s' "$row" | sed 's/-.*//')
    to=$(printf '%s' "$row" | sed 's/.*-//')
    while [ "$number" -le "$to" ]; do
      case $(status_of "$number") in
        429) limited=$(($limited + 1)) ;;
        999) stop 3 "Answer $number did not come." ;;
      esac
      number=$(($number + 1))
    done
  done
  printf '%s requests were answered 429; expected are at most %s.\n' "$limited" "$most"
  [ "$limited" -le "$most" ]
}`,
  fall: String.raw`
# expect_fall FROM TO MOST
expect_fall() {
  show "$1"
  show "$2"
  matches "$(status_of "$1")" 2xx && matches "$(status_of "$2")" 2xx || return 0
  limit=$(fields "$2" X-RateLimit-Limit)
  [ "$limit" = "$(fields "$1" X-RateLimit-Limit)" ] || return 0
  from=$(fields "$1" X-RateLimit-Remaining) to=$(fields "$2" X-RateLimit-Remaining)
  case "$from$to$limit" in '' | *[!0-9]*) return 0 ;; esac
  if [ "$(fields "$1" X-RateLimit-Reset)" != "$(fields "$2" X-RateLimit-Reset)" ]; then
    [ "$to" -lt $(($limit - $3)) ] || [ "$to" -ge "$limit" ] || return 0
  fi
  [ $(($from - $to)) -ge 1 ] && [ $(($from - $to)) -le "$3" ]
}`,
  'different remaining': String.raw`
# expect_different FROM-TO...
expect_different() {
  : >"$DIR/values"
  for row in "$@"; do
    number=$(printf '%s' "$row" | sed 's/-.*//')
    to=$(printf '%s' "$row" | sed 's/.*-//')
    while [ "$number" -le "$to" ]; do
      case $(status_of "$number") in
        2??)
          remaining=$(fields "$number" X-RateLimit-Remaining)
          [ -z "$remaining" ] || printf '%s %s\n' "$remaining" "$(fields "$number" X-RateLimit-Reset)" >>"$DIR/values"
          ;;
      esac
      number=$(($number + 1))
    done
  done
  sort "$DIR/values" | uniq -d >"$DIR/repeated"
  [ ! -s "$DIR/repeated" ] || printf 'X-RateLimit-Remaining %s was told more than once.\n' "$(sed -n '1s/ .*//p' "$DIR/repeated")"
  [ ! -s "$DIR/repeated" ]
}`,
  'near reset': String.raw`
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
  form: String.raw`
# expect_form FORM
expect_form() {
  number=0
  while [ "$number" -lt "$LAST" ]; do
    number=$(($number + 1))
    if ! has_form "$1" "$number" "$(operation_of "$number")" "$(status_of "$number")"; then
      show "$number"
      return 1
    fi
  done
  return 0
}

# has_form FORM NUMBER OPERATION STATUS
has_form() {
  case $1 in
    json)
      case $(fields "$2" Content-Type) in [Aa]pplication/*[Jj][Ss][Oo][Nn]*) ;; *) return 0 ;; esac
      [ "$3" != none ] && [ "$4" != 204 ] && [ "$4" != 304 ] || return 0
      ;;
    list | 'unique pets') [ "$3 $4" = 'listInventory 200' ] || return 0 ;;
    item) [ "$3 $4" = 'updateInventory 200' ] || return 0 ;;
    petId | quantity | status)
      case "$3 $4" in 'listInventory 200' | 'updateInventory 200') ;; *) return 0 ;; esac
      ;;
    *)
      case "$3 $4" in 'none '*) return 0 ;; *' 401' | 'updateInventory 400' | 'updateInventory 404') ;; *) return 0 ;; esac
      ;;
  esac
  json_of "$2" | awk -F '\t' -v form="$1" -v status="$4" '
    $1 == "!" { wrong = 1 }
    NR == 1 { root = $2 }
    { type[$1] = $2; text[$1] = $3 }
    $1 ~ /^\[[0-9]+\]$/ { entries++; if ($2 != "object") odd++ }
    $1 ~ /^(\[[0-9]+\])?[.]petId$/ && $2 == "integer" { if ($3 in seen) twice++; seen[$3] = 1; pets++ }
    $1 ~ /^(\[[0-9]+\])?[.]quantity$/ && $2 == "integer" { quantities++ }
    $1 ~ /^(\[[0-9]+\])?[.]status$/ && $2 == "string" && $3 ~ /^(available|pending|sold)$/ { statuses++ }
    END {
      if (form == "json") exit wrong
      if (wrong) exit 1
      if (form == "list") exit !(root == "array" && !odd)
      if (form == "unique pets") exit twice > 0
      if (form == "item") exit root != "object"
      items = root == "array" ? entries : 1
      if (form == "petId") exit pets + 0 != items
      if (form == "quantity") exit quantities + 0 != items
      if (form == "status") exit statuses + 0 != items
      if (form == "code") exit type[".code"] != "string"
      if (form == "message") exit type[".message"] != "string"
      if (form == "error status") exit !(type[".status"] == "integer" && text[".status"] == status)
      if (form == "texts") exit text[".code"] ~ /^[ ]*$/ && type[".code"] == "string" || text[".message"] ~ /^[ ]*$/ && type[".message"] == "string"
    }'
}`,
  pet: String.raw`
# expect_pet NUMBER PET there|absent QUANTITIES STATUS FROM-TO...: QUANTITIES are set apart by spaces; both may be empty.
# With rows of answers it shows something only if one of those is granted.
expect_pet() {
  [ "$(status_of "$1")" = 200 ] || { show "$1"; return 0; }
  answer=$1 pet=$2 presence=$3 quantities=$4 wanted=$5 granted=$(($# == 5))
  shift 5
  for row in "$@"; do
    number=$(printf '%s' "$row" | sed 's/-.*//')
    to=$(printf '%s' "$row" | sed 's/.*-//')
    while [ "$number" -le "$to" ]; do
      case $(status_of "$number") in 2??) granted=1 ;; esac
      number=$(($number + 1))
    done
  done
  [ "$granted" = 1 ] || { printf 'The update was not granted.\n'; return 0; }
  json_of "$answer" | awk -F '\t' -v pet="$pet" '
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
