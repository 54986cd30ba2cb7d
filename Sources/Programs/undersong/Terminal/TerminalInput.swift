/// A key, or a character, as a terminal sends it.
enum KeyStroke: Hashable, Sendable {
    case character(Character)
    /// A letter with the control key.
    case control(Character)
    case enter, tab, shiftTab, escape, backspace
    case up, down, right, left
    case shiftUp, shiftDown
    case home, end, pageUp, pageDown
    case insert, delete
    case mouse(Mouse)
    /// No key: the terminal has answered a question.
    case report(TerminalReport)
    /// A key that has no name here.
    case unknown

    /// The digit, if it is one.
    var digit: Int? {
        guard case .character(let character) = self, character.isASCII else { return nil }
        return character.wholeNumberValue
    }
}

/// A report of the mouse.
struct Mouse: Hashable, Sendable {
    enum Action: Sendable {
        /// The left button goes down.
        case press
        /// A button goes up.
        case release
        case wheelUp, wheelDown
        /// Another button, or a movement.
        case other
    }

    var action: Action
    /// The cell, from 0.
    var column: Int
    var row: Int

    init(_ action: Action, column: Int, row: Int) {
        (self.action, self.column, self.row) = (action, column, row)
    }

    /// The report of a button's number, column and row, as terminals count them.
    fileprivate init?(_ numbers: [Int], isRelease: Bool) {
        guard numbers.count == 3, numbers[1] > 0, numbers[2] > 0 else { return nil }
        // Shift, meta and control do not change what a button does.
        let button = numbers[0] & ~0b1_1100
        let action: Action =
            switch button {
            case 64: .wheelUp
            case 65: .wheelDown
            case 0: isRelease ? .release : .press
            case 1, 2, 3: isRelease || button == 3 ? .release : .other
            default: .other
            }
        self.init(action, column: numbers[1] - 1, row: numbers[2] - 1)
    }
}

/// Turns the bytes that a terminal sends into keys. A character or an escape sequence may arrive in
/// several parts.
struct TerminalInput {
    /// The longest escape sequence that is waited for, in bytes.
    private static let longestSequence = 32
    /// The longest answer that is waited for, in bytes.
    private static let longestAnswer = 256

    private static let escape: UInt8 = 0x1B

    /// The beginning of a key whose rest has not arrived.
    private var pending: [UInt8] = []

    /// True if a key has begun. If its rest does not arrive in a moment, call `finish`.
    var isPending: Bool { !pending.isEmpty }

    /// The keys that are complete with these bytes.
    mutating func parse(_ bytes: some Sequence<UInt8>) -> [KeyStroke] {
        pending += bytes
        var keys: [KeyStroke] = []
        var rest = pending[...]
        while let (key, length) = Self.first(in: rest) {
            keys.append(key)
            rest = rest.dropFirst(length)
        }
        pending = Array(rest)
        return keys
    }

    /// The keys that have begun and are not continued: the escape key sends what each escape
    /// sequence begins with.
    mutating func finish() -> [KeyStroke] {
        defer { pending = [] }
        return pending.isEmpty ? [] : [pending == [Self.escape] ? .escape : .unknown]
    }

    /// The first key and the number of its bytes; nil if it is not complete.
    private static func first(in bytes: ArraySlice<UInt8>) -> (KeyStroke, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case escape: return sequence(in: bytes.dropFirst()).map { ($0, $1 + 1) }
        case 0x0A, 0x0D: return (.enter, 1)
        case 0x09: return (.tab, 1)
        case 0x08, 0x7F: return (.backspace, 1)
        case ..<0x20: return (.control(Character(Unicode.Scalar(first | 0x60))), 1)
        default: return character(in: bytes)
        }
    }

    /// The key whose sequence has these bytes after the escape, and their number.
    private static func sequence(in bytes: ArraySlice<UInt8>) -> (KeyStroke, Int)? {
        guard let first = bytes.first else { return nil }
        switch first {
        case UInt8(ascii: "["):
            return control(in: bytes.dropFirst()).map { key, length in
                let report = TerminalReport(bytes.prefix(length + 1))
                return (report.map { .report($0) } ?? key, length + 1)
            }
        case UInt8(ascii: "_"):
            // Only terminals send these: a graphics command's answer, up to `ESC \`.
            guard let end = bytes.firstIndex(of: escape) else {
                return bytes.count > longestAnswer ? (.unknown, bytes.count) : nil
            }
            guard bytes.endIndex > end + 1 else { return nil }
            let report = TerminalReport(bytes[..<end])
            return (report.map { .report($0) } ?? .unknown, end + 2 - bytes.startIndex)
        case UInt8(ascii: "O"):
            guard let letter = bytes.dropFirst().first else { return nil }
            return letter < 0x20 ? (.unknown, 1) : (arrow(letter, isShifted: false), 2)
        case escape: return (.escape, 0)
        case ..<0x20: return (.escape, 0)
        default: return character(in: bytes).map { (.unknown, $1) }
        }
    }

    /// The key of a control sequence with these bytes after `ESC [`, and their number.
    private static func control(in bytes: ArraySlice<UInt8>) -> (KeyStroke, Int)? {
        // The Linux console sends `ESC [ [ A` for F1.
        if bytes.first == UInt8(ascii: "[") { return bytes.count < 2 ? nil : (.unknown, 2) }
        guard let end = bytes.firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
            return bytes.count > longestSequence ? (.unknown, bytes.count) : nil
        }
        let length = end - bytes.startIndex
        if bytes[end] == UInt8(ascii: "M"), length == 0 { return oldMouse(in: bytes.dropFirst()) }
        // A control character breaks the sequence off.
        guard (0x40...0x7E).contains(bytes[end]) else { return (.unknown, length) }
        let parameters = String(decoding: bytes[..<end], as: UTF8.self).split(separator: ";")
        if bytes.first == UInt8(ascii: "<") {
            let numbers = parameters.compactMap { Int($0.trimmingPrefix("<")) }
            let mouse = Mouse(numbers, isRelease: bytes[end] == UInt8(ascii: "m"))
            return (mouse.map { .mouse($0) } ?? .unknown, length + 1)
        }
        if bytes[end] == UInt8(ascii: "~") {
            return (numbered(parameters.first.map(String.init) ?? ""), length + 1)
        }
        return (arrow(bytes[end], isShifted: parameters.dropFirst().first == "2"), length + 1)
    }

    /// The report of a terminal that knows only the old form: three bytes after `ESC [ M`.
    private static func oldMouse(in bytes: ArraySlice<UInt8>) -> (KeyStroke, Int)? {
        guard bytes.count >= 3 else { return nil }
        let mouse = Mouse(bytes.prefix(3).map { Int($0) - 32 }, isRelease: false)
        return (mouse.map { .mouse($0) } ?? .unknown, 4)
    }

    private static func arrow(_ letter: UInt8, isShifted: Bool) -> KeyStroke {
        switch letter {
        case UInt8(ascii: "A"): isShifted ? .shiftUp : .up
        case UInt8(ascii: "B"): isShifted ? .shiftDown : .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        case UInt8(ascii: "Z"): .shiftTab
        default: .unknown
        }
    }

    /// The key of `ESC [ number ~`.
    private static func numbered(_ number: String) -> KeyStroke {
        switch number {
        case "1", "7": .home
        case "4", "8": .end
        case "2": .insert
        case "3": .delete
        case "5": .pageUp
        case "6": .pageDown
        default: .unknown
        }
    }

    /// The first character and the number of its bytes; nil if it is not complete.
    private static func character(in bytes: ArraySlice<UInt8>) -> (KeyStroke, Int)? {
        guard let first = bytes.first else { return nil }
        let length =
            switch first {
            case ..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        let part = bytes.prefix(max(length, 1))
        guard length > 0, part.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else {
            return (.unknown, 1)
        }
        guard part.count == length else { return nil }
        guard let scalar = String(validating: part, as: UTF8.self)?.unicodeScalars.first else {
            return (.unknown, length)
        }
        return (.character(Character(scalar)), length)
    }
}
