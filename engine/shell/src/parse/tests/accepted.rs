//! Commands, lists, compounds, redirections and here-documents that are read.

use crate::{Limits, Shell, parse};

use super::{bash, reads};

#[test]
fn words_are_separated_by_blanks() {
    reads("git  log\t-1", "git log -1");
    reads("", "");
    reads("  # nothing", "");
}

#[test]
fn operators_join_commands() {
    reads("a; b & c && d || e\nf", "a ; b & ; c && d || e ; f");
    reads("a|b |& c", "a | b |& c");
    reads("a &&\n\n b |\n c", "a && b | c");
    reads("! a | b", "! a | b");
    reads("time a | b", "time a | b");
    reads("! time -p a", "! time a");
    reads("time ( a; b )", "time ( a ; b )");
    reads("time { a; }", "time { a }");
    reads("time -p if a; then b; fi", "time if a then b fi");
    reads("time; a", "time  ; a");
    reads("time -p", "time ");
    reads("time # a\nb", "time  ; b");
    reads("a && time\nb", "a && time  ; b");
    reads("a | time2 b", "a | time2 b");
}

#[test]
fn comments_begin_only_where_a_token_does() {
    let script = bash("a # one\n#two\nb#c \\#d").unwrap();
    assert_eq!(super::show_list(&script.body), "a ; b#c \\#d");
    let texts: Vec<_> = script
        .comments
        .iter()
        .map(|span| span.of("a # one\n#two\nb#c \\#d"))
        .collect();
    assert_eq!(texts, ["# one", "#two"]);
    reads("a;#c\nb", "a ; b");
    reads("[ a ]#; b", "[ a ]# ; b");
    reads("echo \\ #; b", "echo \\ # ; b");
}

#[test]
fn line_continuations_between_tokens_vanish() {
    reads("a \\\n b", "a b");
    reads("a\\\n b", "a b");
    reads("a\\\n| b &&\\\nc", "a | b && c");
    reads("a \"b\\\nc\"", "a \"bc\"");
    reads("a \\\n#c", "a");
}

#[test]
fn quotes_keep_their_kind() {
    reads(r#"a 'b c' "d e" f\ g"#, r#"a 'b c' "d e" \f g"#);
    reads(r#"a"b"'c'd"#, r#"a"b"'c'd"#);
    reads(r#"echo "a\"b\$c\q" """#, r#"echo "\a"b$c\q" """#);
    reads(
        r"echo $'a\tb\x41\101\u0041\'' $'\c' $'\xff' $'\0'",
        "echo $'a\tbAAA'' $'?' $'?' $'?'",
    );
    reads(r"ls $'\\'; e #'", r"ls $'\' ; e");
    reads("echo $'\\xc3\\xa9'", "echo $'é'");
}

#[test]
fn backslash_quotes_a_whole_character() {
    reads(r"a\é\*", r"\aé*");
}

#[test]
fn only_tab_and_space_are_blanks() {
    reads("a\u{a0}b \u{2028}", "a\u{a0}b \u{2028}");
}

#[test]
fn reserved_words_are_plain_arguments() {
    reads(
        "echo if then { } ! time [[ ]] in",
        "echo if then { } ! time [[ ]] in",
    );
    reads("\\if a", "\\if a");
    reads("ifx; {a; }a", "ifx ; {a ; }a");
}

#[test]
fn groups_and_subshells_nest() {
    reads("{ a; b; } >f", "{ a ; b } >f");
    reads("(a; (b))&", "( a ; ( b ) ) &");
    reads("( (a) )", "( ( a ) )");
    reads("(a)|(b)", "( a ) | ( b )");
}

#[test]
fn conditionals_and_loops_are_read() {
    reads(
        "if a; then b; elif c\nthen d; else e; fi",
        "if a then b elif c then d else e fi",
    );
    reads("while a; do b; done <f", "while a do b done <f");
    reads("until a; do b; done | c", "until a do b done | c");
    reads("for x in a 'b' $c; do d; done", "for x in[a 'b' ${c}] do d done");
    reads("for x\ndo a; done", "for x do a done");
    reads("for x do a; done", "for x do a done");
    reads("for x in; do a; done", "for x in[] do a done");
    reads("for x in do done; do a; done", "for x in[do done] do a done");
    reads(
        "for ((i=0; i<3; i++)); do a; done",
        "for ((w:i;r:i;r:i w:i)) do a done",
    );
    reads("for ((;;)) do a; done", "for ((-;-;-)) do a done");
}

#[test]
fn case_clauses_are_read() {
    reads(
        "case $x in a|'b c') d;; (*) e;& [0-9]*) ;;& f) g; esac",
        "case ${x} in a|'b c') d ;; «*») e ;& «[0-9]»«*»)  ;;& f) g ;; esac",
    );
    reads("case x\nin\na)\nb\n;;\nesac", "case x in a) b ;; esac");
    reads("case x in esac", "case x in  esac");
    reads("case if in if) a;; esac", "case if in if) a ;; esac");
}

#[test]
fn functions_are_read() {
    reads("f() { a; }", "f() { a }");
    reads("f ( )\n(a) >g; f", "f() ( a ) >g ; f");
    reads("function f-x { a; }", "f-x() { a }");
    reads("function f () { a; }", "f() { a }");
}

#[test]
fn assignments_stand_before_the_command_word() {
    reads("a=1 b+=2 c d=3", "<a=1> <b+=2> c d=3");
    reads("a= b", "<a=> b");
    reads("a=", "<a=>");
    reads("a=$x'y' >f", "<a=${x}'y'> >f");
    reads(">f a=1 b", "<a=1> b >f");
    reads("1x=2 a", "1x=2 a");
    reads("a=(b 'c'\n# note\n$d *.e) f=()", "<a=(b 'c' ${d} «*».e)> <f=()>");
    reads("a={b,c}", "<a={b,c}>");
    reads("a=<(b)", "<a=<(b)>");
}

#[test]
fn declaration_builtins_take_assignments() {
    reads("export A=$x B C=(d)", "export <A=${x}> B <C=(d)>");
    reads("local -r a='b c'", "local -r <a='b c'>");
    reads("\\export A=b", "\\export A=b");
    reads("env A=b", "env A=b");
}

#[test]
fn conditions_follow_their_grammar() {
    reads(
        "[[ -f $a && ! b == c* || d ]]",
        "[[ ((-f ${a} && !(b == c«*»)) || d) ]]",
    );
    reads("[[ a || b && c ]]", "[[ (a || (b && c)) ]]");
    reads("[[ (a || b) && c ]]", "[[ ((a || b) && c) ]]");
    reads("[[ a < b &&\n  c > d\n]]", "[[ (a < b && c > d) ]]");
    reads("[[ $x =~ ^(a|b)[0-9]+\\.c$ ]]", "[[ ${x} =~ \\^(a|b)[0-9]+.c$ ]]");
    reads("[[ -n \"$a\" ]] >f", "[[ -n \"${a}\" ]] >f");
    reads("[[ $a -eq 1 ]]", "[[ ${a} -eq 1 ]]");
    reads("[[ \"-f\" == x ]]", "[[ \"-f\" == x ]]");
    reads("[[ -f == ]]", "[[ -f == ]]");
}

#[test]
fn arithmetic_commands_are_read() {
    reads("((x = y + 1, z++))", "((r:y r:z w:x w:z))");
    reads("(( (1 + 2) * 3 ))", "((9))");
    reads("((a)); b", "((r:a)) ; b");
}

#[test]
fn redirections_are_read() {
    reads(
        "a <b >c 2>>d 3<>e >|f &>g &>>h <<<i",
        "a <b >c 2>>d 3<>e >|f &>g &>>h <<<i",
    );
    reads("a 2>&1 <&3 4>&- >&g.txt", "a 2>&1 <&3 4>&- &>g.txt");
    reads("ls &>f b", "ls b &>f");
    reads("ls 2&>f", "ls 2 &>f");
    reads("tee -a1>&2", "tee -a1 >&2");
    reads("cat 0<<<x", "cat 0<<<x");
    reads("ls >&- e", "ls e >&-");
    reads("> f", ">f");
    reads("a < <(b) > >(c)", "a <<(b) >>(c)");
    reads("a>b<c", "a >b <c");
    reads("[ a < b ]", "[ a ] <b");
    reads("a 12>b", "a 12>b");
}

#[test]
fn here_documents_are_read() {
    reads("cat <<E\na $b `c` $(d)\nE\nf", "cat <<[a ${b} $(c) $(d)\n] ; f");
    reads("cat <<'E'\n$a\nE", "cat <<'[\'$a\n\']");
    reads("cat <<\\E\n$a\n\\\nE\nb", "cat <<'['$a\n\\\n'] ; b");
    reads("cat <<\"E O\" | b\nx\nE O\n", "cat <<'['x\n'] | b");
    reads("cat <<-E\n\ta\n\t\t$b\n\tE\n", "cat <<-[a\n${b}\n]");
    reads("cat <<A <<B\na\nA\nb\nB\nc", "cat <<[a\n] <<[b\n] ; c");
    reads("cat <<E\nE", "cat <<[]");
    reads("cat <<E\n\\$a \\\\ \"'$\nE\n", "cat <<[\\$a \\ \"'$\n]");
    reads("cat <<E\na \\\n  b\\\\\nE\n", "cat <<[\\a   b\\\n]");
    reads("python3 - <<'PY'\nx\nPY", "python3 - <<'['x\n']");
    reads("if cat <<E\nx\nE\nthen b; fi", "if cat <<[x\n] then b fi");
    reads("{ cat <<E; }\nx\nE\n", "{ cat <<[x\n] }");
}

#[test]
fn here_documents_stand_in_substitutions() {
    reads(
        "git commit -m \"$(cat <<'EOF'\nit's (a) \"b\n\nEOF\n)\" && c",
        "git commit -m \"$(cat <<'['it's (a) \"b\n\n'])\" && c",
    );
    reads("a <(cat <<E\nx\nE\n) b", "a <(cat <<[x\n]) b");
    reads("cat <<E\n$(cat <<F\nx\nF\n)\nE\n", "cat <<[$(cat <<[x\n])\n]");
}

#[test]
fn spans_are_those_of_the_text() {
    let text = "x=1 git 'a b' >f && ls";
    let script = parse(text, Shell::Bash, &Limits::DEFAULT).unwrap();
    let statement = &script.body.statements[0];
    assert_eq!(statement.span.of(text), text);
    let command = &statement.first.stages[0];
    assert_eq!(command.span.of(text), "x=1 git 'a b' >f");
    assert_eq!(command.redirects[0].span.of(text), ">f");
    let crate::CommandKind::Simple(simple) = &command.kind else {
        panic!("not simple")
    };
    assert_eq!(simple.assignments[0].span.of(text), "x=1");
    let crate::Argument::Word(word) = &simple.words[1] else {
        panic!("not a word")
    };
    assert_eq!(word.span.of(text), "'a b'");
    assert_eq!(word.parts[0].span.of(text), "'a b'");
}
