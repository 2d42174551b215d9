//! Which check a refusal of the parser or the evaluation belongs to.

use crate::{Check, Construct, Finding, NotUnderstood};

/// The finding that explains `refusal`: each named construct belongs to one check.
#[must_use]
pub fn finding_of(refusal: &NotUnderstood) -> Finding {
    Finding::new(
        check_of(refusal.construct),
        refusal.span,
        refusal.construct.about(),
    )
}

fn check_of(construct: Construct) -> Check {
    match construct {
        Construct::LeadingDash
        | Construct::UnclosedSingleQuote
        | Construct::UnclosedDoubleQuote
        | Construct::UnclosedSubstitution
        | Construct::UnclosedBacktick
        | Construct::UnclosedExpansion
        | Construct::UnclosedCompound
        | Construct::UnclosedHeredoc
        | Construct::TrailingBackslash
        | Construct::MissingCommand => Check::IncompleteCommand,
        Construct::DynamicEvaluation
        | Construct::BuiltinForm
        | Construct::Sourcing
        | Construct::Coprocess => Check::ShellMetacharacters,
        Construct::DynamicCommand | Construct::ShellVariable => Check::DangerousVariables,
        Construct::SplitToken => Check::Newlines,
        Construct::ArithmeticCode
        | Construct::Subscript
        | Construct::IndirectExpansion
        | Construct::TransformExpansion
        | Construct::ExpansionOperator
        | Construct::ExpansionOperand
        | Construct::LegacyArithmetic
        | Construct::FunsubExpansion
        | Construct::BacktickEscape
        | Construct::MidWordProcessSubstitution
        | Construct::ConditionOperator => Check::CommandSubstitution,
        Construct::NamedDescriptor
        | Construct::DescriptorMove
        | Construct::DescriptorTooLarge
        | Construct::DoubleExpandedTarget
        | Construct::RedirectTarget => Check::OutputRedirection,
        Construct::TooManyWords | Construct::BraceForm => Check::BraceExpansion,
        Construct::ControlCharacter => Check::ControlCharacters,
        Construct::TextTooLong
        | Construct::WordTooLong
        | Construct::TooDeep
        | Construct::TooManyCommands
        | Construct::TooManyHeredocs
        | Construct::TooManySteps
        | Construct::TooManyReevaluations
        | Construct::TooManyInlinings
        | Construct::UnexpectedToken
        | Construct::UnexpectedWord
        | Construct::LocaleString
        | Construct::ExtendedGlob
        | Construct::HeredocDelimiter
        | Construct::HeredocContinuation
        | Construct::HeredocTabs
        | Construct::BracketPattern
        | Construct::TildePrefix
        | Construct::SelectLoop
        | Construct::FunctionKeyword
        | Construct::FunctionName
        | Construct::TimeForm
        | Construct::RepeatedBang
        | Construct::CasePattern
        | Construct::AssignmentForm
        | Construct::NotInThisShell
        | Construct::ReadersDisagree
        | Construct::HeredocInSubstitution
        | Construct::ShellOption => Check::MalformedToken,
    }
}
