#!/usr/bin/env bash
# Searches as whole processes against ripgrep 15, in pairs, medians of ROUNDS (default 15): Grep, its first 250 results, Glob.
# The tree is TREE, by default the sources of packages that cargo has fetched.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-15}
tree=${2:-${CARGO_HOME:-$HOME/.cargo}/registry/src}
target=${CARGO_TARGET_DIR:-$PWD/target}

rg --version | grep '^ripgrep 15\.' || { echo "needs ripgrep 15: cargo install ripgrep" >&2; exit 1; }
cargo build --release -q -p engine-runtime --example search
search=$target/release/examples/search
out=$(mktemp)
trap 'rm -f "$out"' EXIT
printf 'tree: %s files in %s\n' "$(rg --files "$tree" | wc -l)" "$tree"

# Runs a command; prints the milliseconds that it took and those of its threads together.
once() {
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$out" 2>/dev/null; } 2>&1 | awk '{ printf "%d %d\n", $1 * 1000, ($2 + $3) * 1000 }'
}

# NAME, a command, `--`, another: medians of the ratios of wall and processor time.
against() {
    local name=$1 a=() b=()
    shift
    while [[ $1 != -- ]]; do a+=("$1"); shift; done
    shift
    b=("$@")
    once "${a[@]}" >/dev/null
    once "${b[@]}" >/dev/null
    for ((round = 0; round < rounds; round++)); do
        echo "$(once "${a[@]}") $(once "${b[@]}")"
    done | awk -v name="$name" '
        { wall[NR] = $1 / $3; cpu[NR] = $2 / $4; a[NR] = $1; b[NR] = $3; ca[NR] = $2; cb[NR] = $4 }
        function median(of, i, j, swap) {
            for (i = 1; i <= NR; i++) for (j = i + 1; j <= NR; j++) if (of[j] < of[i]) { swap = of[i]; of[i] = of[j]; of[j] = swap }
            return of[int((NR + 1) / 2)]
        }
        END { printf "%-34s wall %.2f (%d ms, %d ms)  processor %.2f (%d ms, %d ms)\n", name, median(wall), median(a), median(b), median(cpu), median(ca), median(cb) }'
}

rg=(rg --no-config --no-ignore-global --color never)
rare='fn from_raw_parts_in'
often='pub fn'
for mode in content files count; do
    case $mode in
        content) flags=(-n -H --no-heading --max-columns 500) ;;
        files) flags=(-l) ;;
        count) flags=(-c -H) ;;
    esac
    against "$mode, rare" "$search" "$mode" "$rare" "$tree" -- "${rg[@]}" "${flags[@]}" "$rare" "$tree"
    against "$mode, often" "$search" "$mode" "$often" "$tree" -- "${rg[@]}" "${flags[@]}" "$often" "$tree"
done
expression='\b[a-z]+_(mut|ref)\(&self'
against 'content, expression' "$search" content "$expression" "$tree" -- "${rg[@]}" -n -H --no-heading --max-columns 500 "$expression" "$tree"
against 'content, -i' "$search" content -i "$rare" "$tree" -- "${rg[@]}" -n -H --no-heading --max-columns 500 -i "$rare" "$tree"
for mode in content files count; do
    against "first 250 of all, $mode" "$search" "$mode" "$often" "$tree" 250 -- "$search" "$mode" "$often" "$tree"
done
against 'glob **/*.rs' "$search" glob '**/*.rs' "$tree" -- "${rg[@]}" --files --sortr modified -g '**/*.rs' "$tree"
against 'glob *' "$search" glob '*' "$tree" -- "${rg[@]}" --files --sortr modified "$tree"
