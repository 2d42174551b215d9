#!/usr/bin/env bash
# Commands per second of `engine check --stdin` on one core, against a bare tree-sitter loop over the same commands.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
target=${CARGO_TARGET_DIR:-$PWD/target}

cargo build --release -q -p engine
cargo build --release -q -p engine-benches --examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$target/release/examples/data" "$work"
# The home directory is no project, so that it must be another one than the calls start in.
mkdir "$work/home"
export HOME=$work/home XDG_CACHE_HOME=$work/home/cache XDG_CONFIG_HOME=$work/home/config
cd "$work"

lines=$(wc -l <commands.txt)
# Runs a command over an input several times and prints the best rate in lines a second.
rate() {
    local input=$1 best=0 start end now
    shift
    for ((round = 0; round < rounds; round++)); do
        start=${EPOCHREALTIME/[.,]/}
        "$@" <"$input" >/dev/null
        end=${EPOCHREALTIME/[.,]/}
        now=$((lines * 1000000 / (end - start)))
        ((now <= best)) || best=$now
    done
    echo "$best"
}
own=$(rate commands.jsonl "$target/release/engine" check --stdin)
tree=$(rate commands.txt "$target/release/examples/tree_loop")
printf "engine check --stdin: %d a second; tree-sitter: %d a second; ratio %d.%02d\n" "$own" "$tree" $((own / tree)) $((own * 100 / tree % 100))
