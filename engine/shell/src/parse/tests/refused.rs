//! What is refused, by name and place.

use crate::Construct;

use super::refuses;

#[test]
fn texts_that_shells_would_misread_are_refused() {
    refuses("-c ls", Construct::LeadingDash, "-");
    refuses("+x", Construct::LeadingDash, "+");
    refuses("ls\r", Construct::ControlCharacter, "\r");
    refuses("ls\u{b}#; e", Construct::ControlCharacter, "\u{b}");
    refuses("ls \u{7f}", Construct::ControlCharacter, "\u{7f}");
    refuses("ls\0", Construct::ControlCharacter, "\0");
}

#[test]
fn what_is_not_closed_is_refused() {
    refuses("echo 'a", Construct::UnclosedSingleQuote, "'");
    refuses("echo \"a $(b) c", Construct::UnclosedDoubleQuote, "\"");
    refuses("echo $'a\\'", Construct::UnclosedSingleQuote, "$");
    refuses("echo $(a", Construct::UnclosedSubstitution, "$(a");
    refuses("echo `a", Construct::UnclosedBacktick, "`");
    refuses("echo ${a:-b", Construct::UnclosedExpansion, "b");
    refuses("(a", Construct::UnclosedCompound, "(a");
    refuses("if a; then b", Construct::UnclosedCompound, "if a; then b");
    refuses("[[ a", Construct::UnclosedCompound, "[[ a");
    refuses("cat <<E\na", Construct::UnclosedHeredoc, "<<E");
    refuses("cat <<E", Construct::UnclosedHeredoc, "<<E");
    refuses("(cat <<E)\nE\n", Construct::UnclosedHeredoc, "<<E");
    refuses("a \\", Construct::TrailingBackslash, "\\");
}

#[test]
fn operators_need_commands() {
    refuses("a &&", Construct::MissingCommand, "&&");
    refuses("| a", Construct::MissingCommand, "|");
    refuses("a;; b", Construct::UnexpectedToken, ";");
    refuses("a; ; b", Construct::MissingCommand, ";");
    refuses("a & & b", Construct::MissingCommand, "&");
    refuses("()", Construct::MissingCommand, ")");
    refuses("if; then a; fi", Construct::MissingCommand, ";");
    refuses("{ }", Construct::MissingCommand, "}");
    refuses("!", Construct::MissingCommand, "!");
    refuses("a | | b", Construct::MissingCommand, "| ");
}

#[test]
fn tokens_out_of_place_are_refused() {
    refuses("a )", Construct::UnexpectedToken, ")");
    refuses("fi", Construct::UnexpectedToken, "f");
    refuses("} ", Construct::UnexpectedToken, "}");
    refuses("echo (x)", Construct::UnexpectedToken, "(");
    refuses("(a) b", Construct::UnexpectedWord, "b");
    refuses("{ a; } b", Construct::UnexpectedWord, "b");
    refuses("((1)) x", Construct::UnexpectedWord, "x");
    refuses("for i; in a; do b; done", Construct::UnexpectedToken, "i");
    refuses("FOO=bar for i in a; do b; done", Construct::UnexpectedToken, "d");
    refuses("x a=()", Construct::UnexpectedToken, "(");
}

#[test]
fn tokens_split_by_a_continuation_are_refused() {
    refuses("ev\\\nil x", Construct::SplitToken, "\\");
    refuses("if a; th\\\nen b; fi", Construct::SplitToken, "\\");
    refuses("if a; then\\\n b; fi", Construct::SplitToken, "t");
    refuses("ls &\\\n>f", Construct::SplitToken, "&");
    refuses("ls 2\\\n>f", Construct::SplitToken, "\\");
    refuses("ls <<\\\n-E", Construct::SplitToken, "<<");
    refuses("echo $\\\n(a)", Construct::SplitToken, "$");
    refuses("echo \"$a\\\nb\"", Construct::SplitToken, "$a\\\n");
    refuses("(\\\n(1))", Construct::SplitToken, "(");
    refuses("~\\\n/a", Construct::SplitToken, "~");
}

#[test]
fn what_evaluates_a_value_is_refused() {
    refuses("echo ${!x}", Construct::IndirectExpansion, "${!");
    refuses("echo ${x@P}", Construct::TransformExpansion, "${x@");
    refuses("echo ${x[i]}", Construct::Subscript, "[");
    refuses("a[0]=1", Construct::Subscript, "a");
    refuses("a=([0]=1)", Construct::Subscript, "[");
    refuses("declare a[0]=1", Construct::Subscript, "a");
    refuses("echo $((a[0]))", Construct::Subscript, "a");
    refuses("echo $[1]", Construct::LegacyArithmetic, "$");
    refuses("echo $((2#101))", Construct::ArithmeticCode, "2");
    refuses("echo $(('1'))", Construct::ArithmeticCode, "'");
    refuses("[[ -v x ]]", Construct::ConditionOperator, "-v");
    refuses("[[ -R x ]]", Construct::ConditionOperator, "-R");
    refuses("ls >& '$(a)'", Construct::DoubleExpandedTarget, "'$(a)'");
    refuses("ls >&$x", Construct::DoubleExpandedTarget, "$x");
}

#[test]
fn obscure_constructs_are_refused_by_name() {
    refuses("coproc a", Construct::Coprocess, "coproc");
    refuses("select x in a; do b; done", Construct::SelectLoop, "select");
    refuses("echo $\"a\"", Construct::LocaleString, "$");
    refuses("echo ${ a; }", Construct::FunsubExpansion, "${");
    refuses("echo ${| a; }", Construct::FunsubExpansion, "${");
    refuses("ls @(a|b)", Construct::ExtendedGlob, "(");
    refuses("!(a)", Construct::ExtendedGlob, "!");
    refuses("echo `a \\`b\\``", Construct::BacktickEscape, "\\");
    refuses("echo `a # b`", Construct::BacktickEscape, "# b");
    refuses("ls a<(b)", Construct::MidWordProcessSubstitution, "<");
    refuses("ls <(a)b", Construct::MidWordProcessSubstitution, "b");
    refuses("ls {fd}>f", Construct::NamedDescriptor, "{fd}");
    refuses("ls 3>&4-", Construct::DescriptorMove, ">&4-");
    refuses("ls 300>f", Construct::DescriptorTooLarge, "300");
    refuses("time -x a", Construct::TimeForm, "time ");
    refuses("time && a", Construct::TimeForm, "time ");
    refuses("(time)", Construct::TimeForm, "time");
    refuses("case x in x) time;; esac", Construct::TimeForm, "time");
    refuses("a | time b", Construct::TimeForm, "t");
    refuses("! ! a", Construct::RepeatedBang, "!");
    refuses("function f (a)", Construct::FunctionKeyword, "(");
    refuses("cd() { a; }", Construct::FunctionName, "cd");
    refuses("'f'() { a; }", Construct::FunctionName, "'f'");
    refuses("a=(b) c", Construct::AssignmentForm, "a=(b)");
    refuses("a=(b)c", Construct::AssignmentForm, "c");
}

#[test]
fn double_parentheses_are_arithmetic_or_refused() {
    refuses("((a); (b))", Construct::UnexpectedToken, ")");
    refuses("echo $((a); (b))", Construct::UnexpectedToken, ")");
    refuses("((a) )", Construct::UnexpectedToken, ")");
    refuses("((ls -l))x", Construct::UnexpectedWord, "x");
}

#[test]
fn operands_that_shells_read_in_different_ways_are_refused() {
    refuses("echo \"${x:-'a'}\"", Construct::ExpansionOperand, "'");
    refuses("echo \"${x:-\"a\"}\"", Construct::ExpansionOperand, "\"");
    refuses("echo ${x:-{a}}", Construct::ExpansionOperand, "{");
    refuses("echo ${x:-<(a)}", Construct::ExpansionOperand, "<");
    refuses("echo ${x/a/[&]}", Construct::ExpansionOperand, "&");
    refuses("echo ${-:-a}", Construct::ExpansionOperator, "${");
}

#[test]
fn braces_that_surprise_are_refused() {
    refuses("echo {a}b,c}", Construct::BraceForm, "{a}b,c}");
    refuses("echo {1,2\\}", Construct::BraceForm, "{1,");
    refuses("echo $x{a,b}", Construct::BraceForm, "$x");
    refuses("echo {$x,b}c", Construct::BraceForm, "$x");
    refuses("echo {1..${x,,}}", Construct::BraceForm, "{1..${x,,}}");
    refuses("echo {A..z}", Construct::BraceForm, "{A..z}");
    refuses("echo {,x}~", Construct::BraceForm, "~");
    refuses("echo {~,x}/y", Construct::BraceForm, "~");
    refuses("ls >{a,b}", Construct::RedirectTarget, "{a,b}");
    refuses("echo [{a,b}]", Construct::BracketPattern, "[");
    refuses("echo [$x]", Construct::BracketPattern, "[");
    refuses("export a={b,c}", Construct::BraceForm, "{b,c}");
}

#[test]
fn here_documents_that_shells_read_in_different_ways_are_refused() {
    refuses("cat <<E\"O\"F\nx\nEOF\n", Construct::HeredocDelimiter, "<<E");
    refuses("cat <<''\n\n", Construct::HeredocDelimiter, "<<''");
    refuses("cat <<$x\n$x\n", Construct::HeredocDelimiter, "<<");
    refuses("cat <<E\na\\\nE\nE\n", Construct::HeredocContinuation, "E");
    refuses(
        "cat <<EOF\nEO\\\nF\nEOF\n",
        Construct::HeredocContinuation,
        "EO\\",
    );
    refuses("cat <<-E\na\\\nb\nE\n", Construct::HeredocContinuation, "a\\");
    refuses(
        "cat <<E\n$(a 'b\\\nc')\nE\n",
        Construct::HeredocContinuation,
        "$(a 'b\\\nc')",
    );
    refuses(
        "x=$(cat <<E\na\nEX) ; b\nE\n)",
        Construct::HeredocDelimiter,
        "EX) ; b",
    );
    refuses("cat <<E $(a\nb)\nx\nE", Construct::HeredocDelimiter, "\n");
    refuses(
        "cat <<-E\n\t$(a\n\tb)\n\tE\n",
        Construct::HeredocTabs,
        "$(a\n\tb)",
    );
    refuses("echo `cat <<E\nx\nE\n`", Construct::HeredocDelimiter, "<<");
}
