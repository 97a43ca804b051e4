# usage: install_package NAME FOLDER
# Installs a package of Debian. The log, and whether the lists were brought up to date, are kept in FOLDER.
# If it cannot be done, the reason is printed on stdout and the exit code is 1.
install_package() {
  local log="$2/apt.log"
  if [ "$(id -u)" != 0 ]; then
    echo "$1 is not installed, and only root can install it"
    return 1
  fi
  if ! command -v apt-get >/dev/null; then
    echo "$1 is not installed, and there is no apt-get"
    return 1
  fi
  if [ ! -e "$2/apt.updated" ] && apt-get update >"$log" 2>&1; then
    touch "$2/apt.updated"
  fi
  if ! DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$1" >>"$log" 2>&1; then
    echo "apt-get can't install $1: $(last_line "$log")"
    return 1
  fi
}

last_line() {
  tail -n 1 "$1" 2>/dev/null | cut -c 1-300
}
