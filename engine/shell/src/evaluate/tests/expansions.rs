//! What words become.

use super::{check, check_refused, refusals, run};

#[test]
fn known_variables_are_followed() {
    check("x=src; ls \"$x\"", &["ls src"]);
    check("a=1 b=$a; echo $b", &["echo 1"]);
    check("D=-delete; find build $D", &["find build -delete"]);
    check("x=a; x+=b; echo $x", &["echo ab"]);
    check("X=1 env", &["env"]);
    check("a=1 b=$a; a=2 b=$(echo $a) env \"$b\"", &["echo ‹1|2›", "env 1"]);
    check("X=1 env; echo \"$X\"", &["env", "echo ‹›"]);
    check("unset x; echo $x \"$x\"", &["unset x", "echo \"\""]);
    check("IFS=' \t\n'; ls", &["ls"]);
}

#[test]
fn unquoted_values_split_and_glob() {
    check("x='a  b'; echo $x \"$x\"", &["echo a b \"a  b\""]);
    check("x=' a '; echo p$x''q", &["echo p a q"]);
    check("x='*.rs'; echo $x \"$x\"", &["echo ‹glob *.rs›+ *.rs"]);
    check("cat${IFS}/etc/passwd", &["cat /etc/passwd"]);
    check("rm -rf $UNSET/", &["rm -rf ‹›* ‹›/+"]);
    check("rm -rf \"$UNSET\"/", &["rm -rf ‹›/"]);
    check("echo pre$X", &["echo pre‹›+ ‹›*"]);
    check(
        "make -C build -j$(nproc) -s",
        &["nproc", "make -C build -j‹›+ ‹›* -s"],
    );
    check("echo a$X'b'$Y/c", &["echo a‹›+ ‹›*"]);
    check("rm $x", &["rm ‹›*"]);
    check("f=; rm $f", &["rm"]);
}

#[test]
fn home_and_directory_are_known() {
    check(
        "ls ~ ~/x ~root ~+ \"$HOME\" $PWD/y",
        &["ls /home/dev /home/dev/x ‹› /project /home/dev /project/y"],
    );
    check("PWD=/tmp; cat \"$PWD/.env\"", &["cat /tmp/.env"]);
    check("HOME=/tmp; cat ~/x", &["cat /tmp/x"]);
    check("unset HOME; cat ~/x", &["unset HOME", "cat ‹›/x"]);
    check(
        "echo \"$OLDPWD\" \"$RANDOM\" $$ \"$USER\"",
        &["echo ‹› ‹int› ‹int› ‹›"],
    );
    check("_=rm; RANDOM=5; echo \"$_\" $RANDOM", &["echo ‹› ‹int›"]);
}

#[test]
fn globs_and_braces_become_fields() {
    check(
        "ls *.txt a?b [ab]c",
        &["ls ‹glob *.txt›+ ‹glob a?b›+ ‹glob [ab]c›+"],
    );
    check("ls \"a*\"*", &["ls ‹glob a\\**›+"]);
    check("git diff --out{put,}=x", &["git diff --output=x --out=x"]);
    check("echo \"$x$@\"", &["echo ‹›*"]);
    check("echo {1..3} a{b,c{d,e}}", &["echo 1 2 3 ab acd ace"]);
    check("echo \"$d\"/*.c", &["echo ‹›.c+"]);
    check("rm -rf ${BUILD_DIR}/*", &["rm -rf ‹›*"]);
    check("d=src; ls $d/*.rs", &["ls ‹glob src/*.rs›+"]);
    check(
        "for d in a b; do ls $d/*.rs; done",
        &["ls ‹glob a/*.rs›* ‹glob b/*.rs›*"],
    );
}

#[test]
fn operators_of_known_values_are_computed() {
    check(
        "f=src/main.rs; echo \"${f##*/}\" \"${f%.rs}\" \"${f^^}\"",
        &["echo main.rs src/main SRC/MAIN.RS"],
    );
    check(
        "f=a.b.c; echo ${f#*.} ${f%%.*} ${f/b/x} ${f//./-} ${#f}",
        &["echo b.c a a.x.c a-b-c 5"],
    );
    check(
        "f=abcdef; echo ${f:2} ${f:1:2} ${f: -2} ${f^} ${f,,}",
        &["echo cdef bc ef Abcdef abcdef"],
    );
    check("echo ${x#y} \"${#x}\"", &["echo ‹›* ‹int›"]);
    check(
        "for f in *.txt; do mv \"$f\" \"${f%.txt}.md\"; done",
        &["mv ‹glob *.txt› ‹glob *.md›"],
    );
}

#[test]
fn defaults_are_used_where_a_value_may_be_missing() {
    check("x=a; echo ${x:-b} ${x:+c} ${y:-d}", &["echo a c ‹›*"]);
    check(
        "unset x; echo ${x:-b} ${x-c d} ${x:+e} \"${x+e}\"",
        &["unset x", "echo b c d \"\""],
    );
    check("unset x; echo ${x:=w} $x", &["unset x", "echo w w"]);
    check("echo \"${x:+-v}\"", &["echo ‹|-v›"]);
    check("echo ${x:+-v} a", &["echo -v* a"]);
    check("echo ${x:-`touch pwned`}", &["touch pwned", "echo ‹›*"]);
    check("x=; echo ${x:-'a b'}", &["echo \"a b\""]);
    check("rm -rf \"${X:?}\"/*", &["rm -rf ‹›+"]);
}

#[test]
fn arrays_keep_their_fields() {
    check("a=(ls -l); a=rm; \"${a[@]}\"", &["rm -l"]);
    check("a=(ls -l); read a; echo \"${a[@]}\"", &["read a", "echo ‹› -l"]);
    check("c=(touch pwned); \"${c[@]}\"", &["touch pwned"]);
    check(
        "a=(x 'y z'); ls \"${a[@]}\" ${a[1]} \"${a[*]}\" ${#a[@]} \"p${a[@]}s\"",
        &["ls x \"y z\" y z \"x y z\" 2 px \"y zs\""],
    );
    check("a=(x); a+=(y); ls \"${a[@]}\"", &["ls x y"]);
    check("ls \"${unknown[@]}\"", &["ls ‹›*"]);
    check("a=(*.c); ls -l \"${a[@]}\"", &["ls -l ‹glob *.c›+"]);
    check("a=(x y); ls ${a[@]+\"${a[@]}\"}", &["ls x y"]);
    check("echo ${PIPESTATUS[1]} \"${BASH_REMATCH[1]}\"", &["echo ‹›* ‹›"]);
    check("a=(); ls ${a[@]+\"${a[@]}\"} \"${a[@]}\"", &["ls"]);
}

#[test]
fn positions_are_unknown_outside_functions() {
    check("set -- a $x b; echo \"$*\"", &["set -- a ‹›* b", "echo a‹›b"]);
    check("echo \"$1\" $# \"$@\"", &["echo ‹› ‹int› ‹›*"]);
    check(
        "set -- a 'b c'; echo $# \"$2\" \"$@\" $2 \"${@:2}\"",
        &["set -- a \"b c\"", "echo 2 \"b c\" a \"b c\" b c \"b c\""],
    );
    check("set -- a b; shift; echo $1", &["set -- a b", "shift", "echo b"]);
}

#[test]
fn printed_text_is_known_where_the_words_are() {
    check("x=$(pwd); ls \"$x/a\"", &["pwd", "ls /project/a"]);
    check("rm -rf $(pwd)/..", &["pwd", "rm -rf /project/.."]);
    check(
        "find build -`echo delete`",
        &["echo delete", "find build -delete"],
    );
    check(
        "echo \"value: $(echo \"$HOME\")\"",
        &["echo /home/dev", "echo \"value: /home/dev\""],
    );
    check(
        "git commit -m \"$(cat <<'EOF'\nfix: `x`\n\nbody\nEOF\n)\"",
        &["cat", "git commit -m \"fix: `x`\\n\\nbody\""],
    );
    check(
        "git commit -m \"$(cat /etc/passwd <<'EOF'\nok\nEOF\n)\"",
        &["cat /etc/passwd", "git commit -m ‹›"],
    );
    check("n=$(wc -l < a.txt); echo \"$n\" $n", &["wc -l", "echo ‹› ‹›*"]);
    check(
        "echo \"$(printf -x)\" \"$(printf -- -x)\"",
        &["printf -x", "printf -- -x", "echo ‹› -x"],
    );
    check("cat $(ls -a)", &["ls -a", "cat ‹›*"]);
    check(
        "echo \"$(cat <<E | wc -l && ls\nx\nE\n)\"",
        &["cat", "wc -l", "ls", "echo ‹›"],
    );
    check_refused(
        "$(cat <<E; ls x\ny\nE\n)",
        &["heredoc-in-substitution", "dynamic-command"],
        &["cat", "ls x", "‹›*"],
    );
    check_refused("x=\"`echo \"a{b,c}\"`\"", &["backtick-escape"], &["echo a{b,c}"]);
    check("echo \"$(echo a; ls)\"", &["echo a", "ls", "echo ‹›"]);
}

#[test]
fn numbers_stay_numbers() {
    check("git log -n $((1+2)) --oneline", &["git log -n 3 --oneline"]);
    check("i=1; i=$((i+1)); head -n $i", &["head -n ‹int›"]);
    check("for ((i=0;i<3;i++)); do echo $i; done", &["echo ‹int›"]);
    check(
        "n=0; while read -r l; do n=$((n+1)); done < a.txt; echo $n",
        &["read -r l", "echo ‹int›"],
    );
    check_refused("echo $((x))", &["arithmetic-code"], &["echo ‹int›"]);
    check_refused(
        "x='a[$(touch pwned)]'; echo $((x))",
        &["arithmetic-code"],
        &["echo ‹int›"],
    );
    check_refused(
        "echo $(( $(cat n) + 1 ))",
        &["arithmetic-code"],
        &["cat n", "echo ‹int›"],
    );
    check("set -- a b; echo $(( $# - 1 ))", &["set -- a b", "echo ‹int›"]);
}

#[test]
fn limits_are_refusals() {
    assert_eq!(refusals(&run("echo {1..900}{1..900}")), ["too-many-words"]);
}

#[test]
fn slashes_behind_a_pattern_may_become_one() {
    check("ls *//", &["ls ‹›/+"]);
    check("ls a*//b//c", &["ls a‹›/c+"]);
    check("ls dir//*.c", &["ls ‹glob dir//*.c›+"]);
    check("ls \"*\"//*", &["ls ‹glob \\*//*›+"]);
    check("ls $1*//f", &["ls ‹›* ‹›/f+"]);
    check("x='*'; ls $x//f", &["ls ‹›/f+"]);
    check("ls \"$x\"//f", &["ls ‹›//f"]);
}
