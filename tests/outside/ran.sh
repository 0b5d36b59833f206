# Sourced from the root of the project: `ran COUNT COMMAND...` runs tests, and fails unless so many of them have passed:
# `7` are seven, `7+` at least seven. Cargo is content with a filter that matches nothing; this is not.
ran() {
  local expected=$1 log passed failed=0
  shift
  log=$(mktemp)
  "$@" | tee "$log" || failed=$?
  passed=$(awk '/^test result: / { sum += $4 } END { print sum + 0 }' "$log")
  rm -f "$log"
  if ((failed)); then return "$failed"; fi
  [[ -z ${TESTS_RAN:-} ]] || echo "$passed" >>"$TESTS_RAN"
  case $expected in
    *+) ((passed > 0 && passed >= ${expected%+})) ;;
    *) ((passed > 0 && passed == expected)) ;;
  esac || {
    echo "$passed tests passed, not $expected: $*" >&2
    return 1
  }
}
