#!/usr/bin/env bash
# Whole processes of `engine check` and `engine hook` against /bin/true, in turn, medians of ROUNDS (default 101) pairs; then peak memory.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-101}
target=${CARGO_TARGET_DIR:-$PWD/target}

cargo build --release -q -p engine
cargo build --release -q -p engine-benches --examples
engine=$target/release/engine
paired=$target/release/examples/paired
work=$(mktemp -d)
trap 'rm -rf "$work" "$work.state" "$work.home"' EXIT
"$target/release/examples/data" "$work"
# The home directory is no project, so that it must be another one than the calls start in; and no plan is kept in a project.
mkdir "$work.home"
export HOME=$work.home XDG_CACHE_HOME=$work.home/cache XDG_CONFIG_HOME=$work.home/config
# The audit log never lies in the project.
export XDG_STATE_HOME=$work.state
cd "$work"

against_true() {
    local name=$1
    shift
    printf '%-28s ' "$name"
    "$paired" "$rounds" /dev/null -- "$engine" check "$@" -- /bin/true
}

against_true status 'git status'
against_true compound-1k "$(cat compound-1k)"
against_true here-document-64k "$(cat here-document-64k)"
against_true rules-1000 --policy rules-1000.kdl 'git status'
against_true rules-10000 --policy rules-10000.kdl 'git status'

# The hook: an event in, an answer out, and the record of it.
event() { jq -nc --arg cwd "$work" --arg command "$1" '{session_id: "s", cwd: $cwd, permission_mode: "default",
    hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {command: $command}, tool_use_id: "t"}'; }
hook_against_true() {
    printf '%-28s ' "$1"
    event "$2" >event.json
    "$paired" "$rounds" event.json -- "$engine" hook claude-code "${@:3}" -- /bin/true
}
if command -v jq >/dev/null; then
    hook_against_true hook-status 'git status'
    hook_against_true hook-status-unrecorded 'git status' --recording off
    hook_against_true hook-compound-1k "$(cat compound-1k)"
    hook_against_true hook-here-document-64k "$(cat here-document-64k)"
else
    echo 'hooks: skipped, there is no jq'
fi

if [[ -x /usr/bin/time ]]; then
    for name in 'git status' "$(cat here-document-64k)"; do
        printf '%-28s ' "peak memory (KiB)"
        # A verdict other than allow is no failure here.
        { /usr/bin/time -q -f %M "$engine" check "$name" >/dev/null; } 2>&1 || [[ $? -le 4 ]]
    done
else
    echo 'peak memory: skipped, there is no /usr/bin/time (package time)'
fi
