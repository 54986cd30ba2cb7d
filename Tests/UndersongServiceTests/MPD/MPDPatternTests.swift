import Testing

@testable import UndersongService

@Suite struct `A regular expression in a filter` {
    @Test(arguments: [
        ("abc", "xabcx", true), ("abc", "ab", false), ("", "", true), ("^abc$", "abc", true),
        ("^bc", "abc", false), ("ab$", "abc", false), ("a.c", "abc", true), ("a.c", "a\nc", false),
        ("a|b|cd", "xcdx", true), ("^(a|b)c$", "bc", true), ("^(?:ab)+$", "ababab", true),
        ("^(?:ab)+$", "aba", false), ("^a*$", "", true), ("^ab?c$", "ac", true),
        ("^a{2}$", "aa", true), ("^a{2}$", "aaa", false), ("^a{2,}$", "aaaa", true),
        ("^a{2,3}$", "aaaa", false), ("^a{,3}$", "a{,3}", true), ("[a-c]x", "bx", true),
        ("[^a-c]x", "bx", false), ("[]a]+", "]", true), ("[a-]$", "-", true),
        ("\\d{4}", "in 1995", true),
        ("^\\D+$", "a1", false), ("^\\w+$", "a_1", true), ("a\\sb", "a b", true),
        ("a\\.b", "axb", false),
        ("\\bcat\\b", "the cat sat", true), ("\\bcat\\b", "concat", false), ("a+?b", "aab", true),
        ("Bj.rk", "Björk", true), ("[ö]", "Björk", true), ("^(a*)*$", "aaa", true),
        ("[\\d-]+$", "1-2", true),
    ])
    func `An expression matches a part of a text`(text: String, of whole: String, isMatch: Bool)
        throws
    {
        #expect(try MPDPattern(text, ignoresCase: false).matches(whole) == isMatch)
    }

    @Test(arguments: [
        ("BJÖRK", "björk", true), ("[A-C]", "b", true), ("\\D", "1", false), ("\\S", " ", false),
    ])
    func `Case can be ignored`(text: String, of whole: String, isMatch: Bool) throws {
        #expect(try MPDPattern(text, ignoresCase: true).matches(whole) == isMatch)
    }

    @Test(arguments: [
        ("(a", "Bad regular expression: a parenthesis is not closed"),
        ("a)", "Bad regular expression: a parenthesis is not open"),
        ("[a", "Bad regular expression: a bracket is not closed"),
        ("*a", "Bad regular expression: nothing is to be repeated by *"),
        ("a\\", "Bad regular expression: nothing follows the backslash"),
        ("(a)\\1", "Bad regular expression: \\1 is not supported"),
        ("(?=a)", "Bad regular expression: (? is supported as (?: only"),
        ("[b-a]", "Bad regular expression: a range in brackets has its end before its start"),
        ("a{2000}", "Bad regular expression: a number of repetitions is out of range"),
        ("(a{1000}){1000}", "The regular expression is too large"),
        ("(){1000}{1000}{1000}{1000}{1000}", "The regular expression is too large"),
        (
            String(repeating: "(", count: 100),
            "Bad regular expression: too many parentheses are open"
        ),
    ])
    func `What is not an expression is refused`(text: String, reason: String) {
        #expect(throws: MPDPattern.Mistake(reason: reason)) {
            try MPDPattern(text, ignoresCase: false)
        }
    }

    @Test func `Alternatives do not multiply`() throws {
        let text = String(repeating: "a", count: 2000)

        #expect(try !MPDPattern("^(a|a)*(a*)*b$", ignoresCase: false).matches(text))
    }
}
