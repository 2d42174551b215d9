//! Directories, files and streams.

use crate::{Stdin, Value};

use super::{check, check_accesses, check_listings, check_places, check_refused, check_streams, run};

#[test]
fn cd_is_followed() {
    check_places("cd src && ls", &["/project/src: ls"]);
    check_places("cd src; ls", &["/project|/project/src: ls"]);
    check_places("cd src || exit 1; ls", &["/project/src: ls"]);
    check_places("cd -- src && ls", &["/project/src: ls"]);
    check_places("cd src/../sub && ls", &["/project/sub: ls"]);
    check_places("cd sub && cd .. && ls", &["/project: ls"]);
    check_places("cd /tmp && ls", &["/tmp: ls"]);
    check_places("cd && ls", &["/home/dev: ls"]);
    check_places("cd ~ && cat .ssh/id_rsa", &["/home/dev: cat .ssh/id_rsa"]);
    check_places("cd - && ls", &["‹›: ls"]);
    check_places("HOME=/tmp cd && ls", &["/project|/tmp: ls"]);
    check_places("cd src && cd - && ls", &["/project: ls"]);
    check_places("cd $DIR && ls", &["‹›: ls"]);
    check_places(
        "cd \"$(git rev-parse --show-toplevel)\" && ls",
        &["/project: git rev-parse --show-toplevel", "‹›: ls"],
    );
    check_places("cd ../../.. && ls", &["/: ls"]);
    check_places("cd src && cat \"$PWD/x\"", &["/project/src: cat /project/src/x"]);
    check_places(
        "for d in a b; do cd /x/$d; done && ls",
        &["/project|/x/a|/x/b: ls"],
    );
    check_places(
        "while c; do cd ..; done; ls",
        &["/|/project: c", "/|/project: ls"],
    );
    check_places(
        "if cd src; then ls; else pwd; fi; make",
        &["/project/src: ls", "/project|/project/src: make"],
    );
    check_places("! cd src && ls", &["/project: ls"]);
}

#[test]
fn subshells_and_pipelines_keep_their_directory() {
    check_places("(cd src && ls) && ls", &["/project/src: ls", "/project: ls"]);
    check_places(
        "cd sub | cat; rm -rf build",
        &["/project: cat", "/project: rm -rf build"],
    );
    check_places(
        "pushd src && ls && popd && make",
        &["/project/src: ls", "/project: make"],
    );
    check_places(
        "f() { cd src && ls; }; f && make",
        &["/project/src: ls", "/project/src: make"],
    );
}

#[test]
fn redirections_are_accesses() {
    check_accesses(
        "cat < a > b 2>> c",
        &["Read /project a", "Write /project b", "Append /project c"],
    );
    check_accesses("cd src && echo x > a.txt", &["Write /project/src a.txt"]);
    check_accesses("ls &> /dev/null", &["Write /project /dev/null"]);
    check_accesses("ls 2>&1 >&-", &[]);
    check_accesses("echo x > $T", &["Write /project ‹›"]);
    check_accesses("cat < \"$FILE\"", &["Read /project ‹›"]);
    check_accesses("echo \"$(<.env)\"", &["Read /project .env"]);
    check_accesses("f() { ls; } > pwned; f", &["Write /project pwned"]);
    check_accesses("for f in a; do echo $f; done > x", &["Write /project x"]);
    check_accesses("> x", &["Write /project x"]);
    check_accesses("exec 5< .env; cat <&5", &["Read /project .env"]);
    check_accesses("cat <> x", &["ReadWrite /project x"]);
    check_refused("source .env", &["sourcing"], &["source .env"]);
}

#[test]
fn streams_are_connected() {
    check_streams(
        "a | b | c",
        &["a < inherited > [1]", "b < pipe [0] > [2]", "c < pipe [1] > []"],
    );
    check_streams(
        "{ a; b > f; } | c",
        &["a < inherited > [2]", "b < inherited > []", "c < pipe [0] > []"],
    );
    check_streams(
        "a 2>&1 >/dev/null | b",
        &["a < inherited > [1]", "b < pipe [0] > []"],
    );
    check_streams(
        "a | while read -r x; do b; done",
        &[
            "a < inherited > [1, 2]",
            "read < pipe [0] > []",
            "b < pipe [0] > []",
        ],
    );
    check_streams(
        "exec 5< .env; cat <&5",
        &["exec < inherited > []", "cat < file .env > []"],
    );
    check_streams(
        "while read -r l; do b; done < f",
        &["read < file f > []", "b < file f > []"],
    );
    check_streams("a < /dev/null; b <&-", &["a < empty > []", "b < empty > []"]);
    check_streams("wc <<< \"$HOME\"", &["wc < text \"/home/dev\\n\" > []"]);
    check_streams(
        "cat <<EOF\na $HOME $x\nEOF",
        &["cat < text a /home/dev ‹›\n > []"],
    );
    check_streams("sh <<-'EOF'\n\tls\n\tEOF", &["sh < text \"ls\\n\" > []"]);
    check_streams("f() { b; }; a | f", &["a < inherited > [1]", "b < pipe [0] > []"]);
    check_streams(
        "a > /dev/stdout | b",
        &["a < inherited > [1]", "b < pipe [0] > []"],
    );
}

#[test]
fn process_substitutions_are_connected() {
    check(
        "diff <(sort a) <(sort b)",
        &["sort a", "sort b", "diff ‹fd› ‹fd›"],
    );
    check_streams(
        "bash <(curl x)",
        &["curl < inherited > [1]", "bash < inherited > []"],
    );
    check_streams(
        "a | tee >(sh)",
        &[
            "a < inherited > [2]",
            "sh < pipe [2] > []",
            "tee < pipe [0] > [1]",
        ],
    );
    check_streams("a > >(sh)", &["sh < pipe [1] > []", "a < inherited > [0]"]);
    check_streams(
        "sh < <(curl x)",
        &["curl < inherited > [1]", "sh < pipe [0] > []"],
    );
}

#[test]
fn captured_output_is_marked() {
    let found = run("x=$(a; b > f; c | d)");
    let captured: Vec<bool> = found.invocations.iter().map(|i| i.captured).collect();
    assert_eq!(captured, [true, false, false, true]);
}

#[test]
fn what_a_builtin_prints_is_what_the_next_command_reads() {
    check_streams(
        "echo 'rm -rf x' | sh",
        &["echo < inherited > [1]", "sh < text \"rm -rf x\\n\" > []"],
    );
    check_streams(
        "printf '%s\\n' ls pwd | bash",
        &["printf < inherited > [1]", "bash < text \"ls\\npwd\\n\" > []"],
    );
    check_streams(
        "x='make it'; printf \"$x\" | sh | cat",
        &[
            "printf < inherited > [1]",
            "sh < text \"make it\" > [2]",
            "cat < pipe [1] > []",
        ],
    );
}

#[test]
fn what_is_not_known_to_be_all_of_it_is_a_pipe() {
    for text in [
        "echo $x | sh",
        "echo -e 'a\\nb' | sh",
        "echo 'a\\nb' | sh",
        "echo a 2>&1 | sh",
        "echo a >&2 | sh",
        "X=1 echo a | sh",
        "{ echo a; } | sh",
        "(echo a) | sh",
        "printf '%d' 1 | sh",
        "printf '%s%s' a | sh",
        "command echo a | sh",
    ] {
        let found = run(text);
        let shell = found.invocations.last().unwrap();
        assert!(matches!(shell.stdin, Stdin::Pipe(_)), "{text}: {:?}", shell.stdin);
    }
}

#[test]
fn a_text_that_something_may_have_read_from_is_not_known() {
    let of_shell = |text: &str| {
        let found = run(text);
        let shell = found
            .invocations
            .iter()
            .rev()
            .find(|i| i.words[0].known() == Some("sh"));
        shell.unwrap().stdin.clone()
    };
    let whole = Stdin::Text(Value::Known("a\nb\n".into()));
    for text in [
        "sh <<E\na\nb\nE",
        "{ echo x; cd /tmp; sh; } <<E\na\nb\nE",
        "while read x; do sh <<E\na\nb\nE\ndone",
        "read x <<E\nz\nE\nsh <<E\na\nb\nE",
        "sh <<E &\na\nb\nE",
    ] {
        assert_eq!(of_shell(text), whole, "{text}");
    }
    for text in [
        "{ read x; sh; } <<E\na\nb\nE",
        "{ head -1; sh; } <<E\na\nb\nE",
        "{ (read x); sh; } <<E\na\nb\nE",
        "{ sh; sh; } <<E\na\nb\nE",
        "{ y=$(head -1); sh; } <<E\na\nb\nE",
        "f() { read x; }; { f; sh; } <<E\na\nb\nE",
        "for i in 1 2; do sh; done <<E\na\nb\nE",
        "while true; do sh; done <<E\na\nb\nE",
        "{ sh & read x; } <<E\na\nb\nE",
        "{ read x <&3; sh <&3; } 3<<E\na\nb\nE",
        "exec <<E\na\nb\nE\nread x; sh",
        "{ cat <(sh); read x; } <<E\na\nb\nE",
    ] {
        assert_eq!(of_shell(text), Stdin::Pipe(Vec::new()), "{text}");
    }
    assert_eq!(
        of_shell("printf 'a\\nb\\n' | { read x; sh; }"),
        Stdin::Pipe(vec![0])
    );
}

#[test]
fn names_are_looked_up_wherever_a_pattern_expands() {
    check_listings(
        "for f in ~/.ssh/id_*; do :; done",
        &["/project ‹glob /home/dev/.ssh/id_*›"],
    );
    check_listings("cd /etc && a=(*.d)", &["/etc ‹glob *.d›"]);
    check_listings("f() { :; }; f /etc/s*", &["/project ‹glob /etc/s*›"]);
    check_listings("ls < /etc/s*", &["/project ‹glob /etc/s*›"]);
    check_listings(
        "d=/etc; for f in $d/*; do for g in 1 2; do :; done; done",
        &["/project ‹glob /etc/*›"],
    );
    check_listings("declare -a a=(/etc/*)", &["/project ‹glob /etc/*›"]);
    check_listings("x='/etc/*'; for f in $x; do :; done", &["/project ‹glob /etc/*›"]);
}

#[test]
fn a_pattern_that_is_not_known_as_a_whole_is_looked_up_somewhere() {
    check_listings("for f in /etc/\"$X\"*; do :; done", &["/project /etc/‹›"]);
    check_listings(
        "for f in /etc/$X*; do :; done",
        &["/project /etc/‹›", "/project ‹›"],
    );
    check_listings("for p in '/etc/*' b; do echo $p; done", &["echo: ‹›"]);
    check_listings("echo ${X:-/etc/*}", &["echo: ‹›"]);
    check_listings("for f in ${X:=/etc/*}; do :; done", &["/project ‹›"]);
    check_listings("x=\"$Y/*\"; echo $x", &["echo: ‹›"]);
    check_listings(
        "for f in *; do x=\"$f/../../etc/*\"; echo $x; done",
        &["/project ‹glob *›", "echo: ‹›"],
    );
}

#[test]
fn no_names_are_looked_up_where_no_pattern_expands() {
    for text in [
        "x=/etc/*",
        "x=/etc/*; echo \"$x\"",
        "case /etc/* in *) ;; esac",
        "[[ /etc/* == /etc/* ]]",
        "cat <<< /etc/*",
        "export x=/etc/*",
        "echo '/etc/*' \\* \"*\" $X \"$X\"",
        "echo $(( 2 * 3 )) ${X%*} ${X/*/y}",
    ] {
        check_listings(text, &[]);
    }
}
