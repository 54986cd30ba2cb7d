/// A regular expression, as clients write it in a filter: the syntax of PCRE without references to
/// groups and without conditions on what surrounds a match.
///
/// It is matched by following all alternatives at once, so that the time is that of the text's length
/// times the expression's, whatever a client sends.
struct MPDPattern: Hashable, Sendable {
    /// The reason why an expression is none.
    struct Mistake: Error, Hashable {
        let reason: String
    }

    /// A step of the expression; numbers are the steps that follow.
    fileprivate enum Step: Hashable, Sendable {
        case scalar(ScalarSet, next: Int)
        case either(Int, Int)
        case check(Anchor, next: Int)
        case end
    }

    fileprivate enum Anchor: Hashable, Sendable { case start, end, wordEdge, noWordEdge }

    /// A set of characters.
    struct ScalarSet: Hashable, Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isInverted = false

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            ranges.contains { $0 ~= scalar.value } != isInverted
        }
    }

    private let steps: [Step]
    private let first: Int
    private let ignoresCase: Bool

    /// - Throws: It is not a regular expression, or has a part that is not supported, or is too large.
    init(_ text: String, ignoresCase: Bool) throws(Mistake) {
        self.ignoresCase = ignoresCase
        var parser = MPDPatternParser(ignoresCase ? text.foldedPattern : text)
        let tree = try parser.parse()
        var compiler = MPDPatternCompiler()
        first = try compiler.compile(tree, next: 0)
        steps = compiler.steps
    }

    /// True if a part of `text` matches.
    func matches(_ text: String) -> Bool {
        let scalars = Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
        var current = StepSet(count: steps.count)
        var following = StepSet(count: steps.count)
        for index in 0...scalars.count {
            // A match may begin anywhere.
            if add(first, to: &current, scalars, index) { return true }
            guard index < scalars.count else { break }
            following.removeAll()
            for number in current.scalarSteps {
                guard case .scalar(let set, let next) = steps[number],
                    set.contains(scalars[index])
                else { continue }
                if add(next, to: &following, scalars, index + 1) { return true }
            }
            swap(&current, &following)
        }
        return false
    }

    /// Adds a step and all that are reached without a character. True if the end is.
    private func add(
        _ step: Int, to set: inout StepSet, _ scalars: [Unicode.Scalar], _ index: Int
    ) -> Bool {
        var waiting = [step]
        while let number = waiting.popLast() {
            guard set.insert(number) else { continue }
            switch steps[number] {
            case .end: return true
            case .scalar: set.scalarSteps.append(number)
            case .either(let one, let other): waiting += [other, one]
            case .check(let anchor, let next):
                if anchor.holds(scalars, index) { waiting.append(next) }
            }
        }
        return false
    }

    /// Steps that are reached at a place in the text.
    private struct StepSet {
        private var isMember: [Bool]
        private var members: [Int] = []
        var scalarSteps: [Int] = []

        init(count: Int) { isMember = Array(repeating: false, count: count) }

        mutating func insert(_ step: Int) -> Bool {
            guard !isMember[step] else { return false }
            isMember[step] = true
            members.append(step)
            return true
        }

        mutating func removeAll() {
            for step in members { isMember[step] = false }
            members.removeAll(keepingCapacity: true)
            scalarSteps.removeAll(keepingCapacity: true)
        }
    }
}

extension MPDPattern.Anchor {
    fileprivate func holds(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        func isWord(_ index: Int) -> Bool {
            scalars.indices.contains(index) && scalars[index].isOfWord
        }
        switch self {
        case .start: return index == 0
        case .end: return index == scalars.count
        case .wordEdge: return isWord(index - 1) != isWord(index)
        case .noWordEdge: return isWord(index - 1) == isWord(index)
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isOfWord: Bool {
        MPDPatternTree.word.contains { $0 ~= value }
    }
}

extension String {
    /// The expression in small letters, but for the letters after a backslash.
    fileprivate var foldedPattern: String {
        var folded = ""
        var isEscaped = false
        for character in unicodeScalars {
            folded += isEscaped ? String(character) : String(character).lowercased()
            isEscaped = !isEscaped && character == "\\"
        }
        return folded
    }
}

// MARK: - The parts of an expression

private indirect enum MPDPatternTree {
    case sequence([MPDPatternTree])
    case choice([MPDPatternTree])
    case scalar(MPDPattern.ScalarSet)
    case anchor(MPDPattern.Anchor)
    case repeated(MPDPatternTree, Int, Int?)

    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let space: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]
}

/// Makes the steps, from the last to the first.
private struct MPDPatternCompiler {
    /// The steps that an expression may have.
    private static let mostSteps = 10_000
    private static let tooLarge = MPDPattern.Mistake(
        reason: "The regular expression is too large")

    private(set) var steps: [MPDPattern.Step] = [.end]
    /// The parts whose steps were added: one without steps could be repeated without end.
    private var partCount = 0

    /// Adds the steps of a part, after which `next` follows. Returns the first one.
    mutating func compile(_ tree: MPDPatternTree, next: Int) throws(MPDPattern.Mistake) -> Int {
        partCount += 1
        guard partCount <= 10 * Self.mostSteps else { throw Self.tooLarge }
        switch tree {
        case .scalar(let set): return try add(.scalar(set, next: next))
        case .anchor(let anchor): return try add(.check(anchor, next: next))
        case .sequence(let parts):
            var next = next
            for part in parts.reversed() { next = try compile(part, next: next) }
            return next
        case .choice(let parts):
            var first = try compile(parts[parts.count - 1], next: next)
            for part in parts.dropLast().reversed() {
                first = try add(.either(try compile(part, next: next), first))
            }
            return first
        case .repeated(let part, let least, let most):
            var first = next
            if let most {
                for _ in least..<most {
                    first = try add(.either(try compile(part, next: first), next))
                }
            } else {
                let loop = try add(.either(next, next))
                steps[loop] = .either(try compile(part, next: loop), next)
                first = loop
            }
            for _ in 0..<least { first = try compile(part, next: first) }
            return first
        }
    }

    private mutating func add(_ step: MPDPattern.Step) throws(MPDPattern.Mistake) -> Int {
        guard steps.count < Self.mostSteps else { throw Self.tooLarge }
        steps.append(step)
        return steps.count - 1
    }
}

private struct MPDPatternParser {
    private static let mostNested = 64
    private static let mostRepeated = 1000

    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    init(_ text: String) { rest = text[...].unicodeScalars }

    mutating func parse() throws(MPDPattern.Mistake) -> MPDPatternTree {
        let tree = try choice()
        guard rest.isEmpty else { throw mistake("a parenthesis is not open") }
        return tree
    }

    private func mistake(_ reason: String) -> MPDPattern.Mistake {
        MPDPattern.Mistake(reason: "Bad regular expression: \(reason)")
    }

    private mutating func choice() throws(MPDPattern.Mistake) -> MPDPatternTree {
        var parts = [try sequence()]
        while pop("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(MPDPattern.Mistake) -> MPDPatternTree {
        var parts: [MPDPatternTree] = []
        while let next = rest.first, next != "|", next != ")" {
            parts.append(try repetition(of: try atom()))
        }
        return .sequence(parts)
    }

    private mutating func repetition(
        of atom: MPDPatternTree
    ) throws(MPDPattern.Mistake) -> MPDPatternTree {
        var tree = atom
        while true {
            if pop("*") {
                tree = .repeated(tree, 0, nil)
            } else if pop("+") {
                tree = .repeated(tree, 1, nil)
            } else if pop("?") {
                tree = .repeated(tree, 0, 1)
            } else if let (least, most) = try bounds() {
                tree = .repeated(tree, least, most)
            } else {
                return tree
            }
            // As few or as many as possible: that decides on the part that matches only.
            if !pop("?") { _ = pop("+") }
        }
    }

    /// The numbers in `{2}`, `{2,}` or `{2,4}`; nil if these do not follow.
    private mutating func bounds() throws(MPDPattern.Mistake) -> (Int, Int?)? {
        guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
        let inner = rest[rest.index(after: rest.startIndex)..<end]
        let parts = inner.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        func number(_ text: Substring.UnicodeScalarView) -> Int? {
            text.allSatisfy { ("0"..."9").contains($0) } ? Int(String(text)) : nil
        }
        guard let least = number(parts[0]) else { return nil }
        let most: Int?
        if parts.count == 1 {
            most = least
        } else if parts[1].isEmpty {
            most = nil
        } else {
            guard let number = number(parts[1]) else { return nil }
            most = number
        }
        rest = rest[rest.index(after: end)...]
        guard max(least, most ?? least) <= Self.mostRepeated, most ?? least >= least else {
            throw mistake("a number of repetitions is out of range")
        }
        return (least, most)
    }

    private mutating func atom() throws(MPDPattern.Mistake) -> MPDPatternTree {
        let next = rest.removeFirst()
        switch next {
        case "(": return try group()
        case "[": return .scalar(try set())
        case ".": return .scalar(MPDPattern.ScalarSet(ranges: [0x0A...0x0A], isInverted: true))
        case "^": return .anchor(.start)
        case "$": return .anchor(.end)
        case "\\": return try escaped()
        case "*", "+", "?": throw mistake("nothing is to be repeated by \(next)")
        default: return .scalar(Self.set(of: next))
        }
    }

    private mutating func group() throws(MPDPattern.Mistake) -> MPDPatternTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostNested else { throw mistake("too many parentheses are open") }
        if pop("?"), !pop(":") { throw mistake("(? is supported as (?: only") }
        let tree = try choice()
        guard pop(")") else { throw mistake("a parenthesis is not closed") }
        return tree
    }

    private mutating func escaped() throws(MPDPattern.Mistake) -> MPDPatternTree {
        switch rest.first {
        case "b": return anchor(.wordEdge)
        case "B": return anchor(.noWordEdge)
        case "A": return anchor(.start)
        case "z", "Z": return anchor(.end)
        default: return .scalar(try escapedSet())
        }
    }

    private mutating func anchor(_ anchor: MPDPattern.Anchor) -> MPDPatternTree {
        rest.removeFirst()
        return .anchor(anchor)
    }

    /// The characters that a backslash and the next letter stand for.
    private mutating func escapedSet() throws(MPDPattern.Mistake) -> MPDPattern.ScalarSet {
        guard let next = rest.popFirst() else { throw mistake("nothing follows the backslash") }
        let ranges: [ClosedRange<UInt32>]
        switch next {
        case "d", "D": ranges = MPDPatternTree.digits
        case "w", "W": ranges = MPDPatternTree.word
        case "s", "S": ranges = MPDPatternTree.space
        case "t": return Self.set(of: "\t")
        case "n": return Self.set(of: "\n")
        case "r": return Self.set(of: "\r")
        case "0"..."9", "A"..."Z", "a"..."z": throw mistake("\\\(next) is not supported")
        default: return Self.set(of: next)
        }
        return MPDPattern.ScalarSet(ranges: ranges, isInverted: "DWS".unicodeScalars.contains(next))
    }

    /// The characters in brackets, of which the first one is gone.
    private mutating func set() throws(MPDPattern.Mistake) -> MPDPattern.ScalarSet {
        var set = MPDPattern.ScalarSet(isInverted: pop("^"))
        var isFirst = true
        while let next = rest.popFirst() {
            if next == "]", !isFirst { return set }
            isFirst = false
            let member = next == "\\" ? try escapedSet() : Self.set(of: next)
            guard !member.isInverted else { throw mistake("\\D, \\W and \\S in brackets") }
            let rests = rest
            if member.ranges.count == 1, pop("-"), let last = rest.popFirst(), last != "]" {
                let end = last == "\\" ? try escapedSet().ranges[0].lowerBound : last.value
                guard member.ranges[0].lowerBound <= end else {
                    throw mistake("a range in brackets has its end before its start")
                }
                set.ranges.append(member.ranges[0].lowerBound...end)
            } else {
                rest = rests
                set.ranges += member.ranges
            }
        }
        throw mistake("a bracket is not closed")
    }

    private static func set(of scalar: Unicode.Scalar) -> MPDPattern.ScalarSet {
        MPDPattern.ScalarSet(ranges: [scalar.value...scalar.value])
    }

    private mutating func pop(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }
}
