#!/bin/sh
# Any CI: fails where fewer than half of the methods would be noticed, or one that was noticed before is not now.
set -eu
methods=${1:-methods.json}
previous=${2:-}
set -- --methods "$methods" --slowdown 0.5 --fail-under 50
[ -z "$previous" ] || set -- "$@" --fail-if-worse-than "$previous"
code=0
abs-audit score "$@" || code=$?
abs-audit report --html abs-audit.html
# 4: some cells have no verdict; the page says which and why.
[ "$code" = 4 ] || exit "$code"
