package import Testing

/// The rules of `Documentation/behaviour.md` that a test checks.
///
/// It does not change how the test runs. `Tools/Lint/rules` makes the table of rules and their tests
/// from it.
package struct RuleTrait: TestTrait {
    package let rules: [String]
}

extension Trait where Self == RuleTrait {
    /// Names the rules that a test checks: `"PU9"` for a row, `"2.5"` for a section.
    package static func rule(_ rules: String...) -> Self { RuleTrait(rules: rules) }
}
