//! Expansions that are read: parameters, substitutions, arithmetic, braces, tildes, patterns.

use super::reads;

#[test]
fn parameters_are_read() {
    reads("echo $a${b}$1$10 ${10}", "echo ${a}${b}${1}${1}0 ${10}");
    reads(
        "echo \"$@\" $* $# $? $- $$ $! $_",
        "echo \"${@}\" ${*} ${#} ${?} ${-} ${$} ${!} ${_}",
    );
    reads("echo ${#} ${@} ${!} ${?}", "echo ${#} ${@} ${!} ${?}");
    reads("$x/y -$z", "${x}/y -${z}");
}

#[test]
fn a_lone_dollar_is_literal() {
    reads("grep plugin_build$ $", "grep plugin_build$ $");
    reads("echo \"$\" \"a$ $/\" $.", "echo \"$\" \"a$ $/\" $.");
    reads("echo \"$'a'\"", "echo \"$'a'\"");
    reads("echo $\\x", "echo \\$x");
}

#[test]
fn parameter_operators_are_read() {
    reads(
        "echo ${a:-b c} ${a-} ${a:=$b} ${a+'x'} ${a:?\"no $b\"}",
        "echo ${a :- b c} ${a - } ${a := ${b}} ${a + 'x'} ${a :? \"no ${b}\"}",
    );
    reads(
        "echo \"${a:-b c}\" \"${a:+$b}\"",
        "echo \"${a :- b c}\" \"${a :+ ${b}}\"",
    );
    reads(
        "echo ${a#*/} ${a##[a-z]} ${a%.*} ${a%%\\*}",
        "echo ${a # «*»/} ${a ## «[a-z]»} ${a % .«*»} ${a %% \\*}",
    );
    reads(
        "echo ${a/b/c} ${a//\\//_} ${a/#b} ${a/%b/}",
        "echo ${a / b by c} ${a // \\/ by _} ${a / #b} ${a / %b by }",
    );
    reads(
        "echo ${a:1} ${a:1:2} ${a: -1} ${@:2}",
        "echo ${a from 1} ${a from 1 for 2} ${a from -1} ${@ from 2}",
    );
    reads("echo ${a:$b:${#c}}", "echo ${a from r:b for ${c length}}");
    reads(
        "echo ${a^} ${a^^} ${a,} ${a,,[A-Z]}",
        "echo ${a ^} ${a ^^} ${a ,} ${a ,, «[A-Z]»}",
    );
    reads(
        "echo ${#a} ${#a[@]} ${a[@]} ${a[*]} ${a[3]}",
        "echo ${a length} ${a[@] length} ${a[@]} ${a[*]} ${a[3]}",
    );
    reads("echo ${a:-`b`} ${a:-~/c}", "echo ${a :- $(b)} ${a :- «~»/c}");
}

#[test]
fn substitutions_are_read() {
    reads("echo $(a; b | c) `d e`", "echo $(a ; b | c) $(d e)");
    reads("echo $(a $(b `c`) \"$(d)\")", "echo $(a $(b $(c)) \"$(d)\")");
    reads(
        "echo \"$(a \"b\")\" \"`c \"d\"`\"",
        "echo \"$(a \"b\")\" \"$(c \"d\")\"",
    );
    reads("echo $() $(<f) $( (a) )", "echo $() $(<f) $(( a ))");
    reads("echo $(case x in a) b;; esac)", "echo $(case x in a) b ;; esac)");
    reads("echo $(a # ) note\n)", "echo $(a)");
    reads("cat a`x`b", "cat a$(x)b");
    reads("diff <(a) <(b)", "diff <(a) <(b)");
    reads("cmd --file=<(a)", "cmd --file=<(a)");
    reads("echo `grep '\\.c' f`", "echo $(grep '\\.c' f)");
}

#[test]
fn arithmetic_is_read() {
    reads(
        "echo $((1 + 2 * 3)) $((-(4 - 1) % 2)) $((1/0))",
        "echo $((7)) $((-1)) $(())",
    );
    reads("echo $((a + $b - ${c}))", "echo $((r:a r:b r:c))");
    reads(
        "echo $((x += 1)) $((y = 2)) $((++z)) $((w--))",
        "echo $((r:x w:x)) $((w:y)) $((r:z w:z)) $((r:w w:w))",
    );
    reads(
        "echo $((a < b ? 1 : 2)) $((0x1F << 2 & ~3 || !4))",
        "echo $((r:a r:b)) $(())",
    );
    reads(
        "echo $(( $(a) + $# )) $((${#x}))",
        "echo $((r:# $(a))) $((${x length}))",
    );
    reads("echo $(($((1+1))*2))", "echo $((4 $((2))))");
    reads("echo \"$((1+1))\"", "echo \"$((2))\"");
}

#[test]
fn braces_expand_as_in_bash() {
    reads(
        "echo {a,b} x{,y}z {a,{b,c}d}",
        "echo «{a|b}» x«{|y}»z «{a|«{b|c}»d}»",
    );
    reads(
        "echo {1..3} {03..1} {a..e..2} {-1..1}",
        "echo «{1|2|3}» «{03|02|01}» «{a|c|e}» «{-1|0|1}»",
    );
    reads("cp f{,.bak} f{,~}", "cp f«{|.bak}» f«{|~}»");
    reads("{ls,-l}", "«{ls|-l}»");
    reads("{a,b}{c,d}", "«{a|b}»«{c|d}»");
    reads("echo {a,'b,c',\"$x\"}", "echo «{a|'b,c'|\"${x}\"}»");
    reads("echo {{a,b}}", "echo {«{a|b}»}");
    reads("echo {}.{a,b}", "echo {}.«{a|b}»");
    reads("mv {$a,$b}", "mv «{${a}|${b}}»");
}

#[test]
fn braces_that_do_not_expand_are_literal() {
    reads(
        "git log @{u} HEAD@{1} stash@{0}",
        "git log @{u} HEAD@{1} stash@{0}",
    );
    reads("find . -exec rm {} +", "find . -exec rm {} +");
    reads("find . -exec rm {}\\;", "find . -exec rm \\{};");
    reads(
        "echo {a} a{b}c {a..} {1..x} {..} {a",
        "echo {a} a{b}c {a..} {1..x} {..} {a",
    );
    reads("echo a}b a,b {1..$n} \\{a,b}", "echo a}b a,b {1..${n}} \\{a,b}");
    reads("echo \"{a,b}\" '{a,b}'", "echo \"{a,b}\" '{a,b}'");
    reads("x={a,b} y=1..2", "<x={a,b}> <y=1..2>");
}

#[test]
fn tildes_expand_at_the_start() {
    reads("cd ~ ~/a ~bob/b ~+ ~-", "cd «~» «~»/a «~bob»/b «~+» «~-»");
    reads(
        "git diff HEAD~1 a~ x/~ \"~\" \\~",
        "git diff HEAD~1 a~ x/~ \"~\" \\~",
    );
    reads("a=~/b:~/c:d~", "<a=«~»/b:«~»/c:d~>");
    reads(
        "make prefix=~/x --p=~/x host:~/x",
        "make prefix=«~»/x --p=~/x host:~/x",
    );
    reads("echo ~\"x\" ~$y", "echo ~\"x\" ~${y}");
    reads("a=b=~", "<a=b=~>");
}

#[test]
fn patterns_are_parts() {
    reads(
        "ls *.c ?[a-z]* [!x] [^y] []]",
        "ls «*».c «?»«[a-z]»«*» «[!x]» «[^y]» «[]]»",
    );
    reads("ls [[:alpha:]_]*", "ls «[[:alpha:]_]»«*»");
    reads("[ a ]", "[ a ]");
    reads("ls [a [a/b] a[ ]", "ls [a [a/b] a[ ]");
    reads("echo a\\[b] '*' \"?\"", "echo \\a[b] '*' \"?\"");
    reads("echo $x[0]", "echo ${x}«[0]»");
}
