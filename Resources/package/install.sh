#!/bin/sh
# Installs Undersong into PREFIX: by default ~/.local, or /usr/local for root.
#
# usage: ./install.sh [PREFIX]          install
#        PREFIX/share/undersong/install.sh --uninstall
#                                       remove what was installed there, and nothing else

set -eu

fail() {
    echo "undersong: cannot $1: $2" >&2
    exit "${3-1}"
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

if [ "${1-}" = --uninstall ]; then
    [ -f "$here/installed" ] || fail uninstall "$here/installed is missing"
    prefix=${here%/share/undersong}
    while read -r name; do rm -f "$prefix/$name"; done <"$here/installed"
    folders=$(LC_ALL=C sort -ru "$here/folders")
    rm -f "$here/installed" "$here/folders"
    # Only those that the installation made, the deepest first.
    echo "$folders" | while read -r name; do
        rmdir "$prefix/$name" 2>/dev/null || true
    done
    echo "Undersong is removed from $prefix; your queue and settings are kept."
    exit
fi

case ${1-} in
    -*) fail install "there is no option $1" 64 ;;
    '') if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi ;;
    /*) prefix=${1%/} ;;
    *) fail install "$1 is not an absolute path" 64 ;;
esac

# Makes a folder below PREFIX, and notes those that were missing.
make_folder() {
    [ -d "$prefix/$1" ] && return
    make_folder "$(dirname "$1")"
    mkdir "$prefix/$1"
    made="$1
$made"
}

made=
mkdir -p "$prefix"
for name in $(cd "$here" && find bin share -type d | LC_ALL=C sort); do make_folder "$name"; done
# An installation over an earlier one adds to its list.
printf '%s' "$made" >>"$prefix/share/undersong/folders"

list=$(cd "$here" && find bin share -type f | LC_ALL=C sort)
echo "$list" | while read -r name; do
    mode=644
    case $name in bin/* | */install.sh) mode=755 ;; esac
    # A program that runs keeps its file.
    rm -f "$prefix/$name"
    case $name in
        share/systemd/* | share/dbus-1/*) sed "s|@bindir@|$prefix/bin|g" "$here/$name" >"$prefix/$name" ;;
        *) cp "$here/$name" "$prefix/$name" ;;
    esac
    chmod "$mode" "$prefix/$name"
done
echo "$list" >"$prefix/share/undersong/installed"

for program in undersong undersongd undersong-transferd; do
    missing=$(ldd "$prefix/bin/$program" | sed -n 's/^\t*\(.*\) => not found$/\1/p')
    [ -z "$missing" ] || echo "$program needs libraries that are not installed:" $missing >&2
done
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "Put $prefix/bin on your PATH to run undersong by its name." >&2 ;;
esac
echo "Undersong is installed in $prefix; remove it with $prefix/share/undersong/install.sh --uninstall"
