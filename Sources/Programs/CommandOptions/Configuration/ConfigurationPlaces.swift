/// The lines of the names in a JSON5 text, or of its mistake, which its decoder does not report. It
/// takes some texts for right that are not.
struct ConfigurationPlaces {
    /// The place of a name.
    struct Place {
        /// From 1.
        var line: Int
        /// The number of names before it.
        var order: Int
    }

    /// Deeper texts are not read to their end.
    private static let deepest = 64

    private var places: [[String]: Place] = [:]
    /// The line of the first mistake, from 1; nil if there is none.
    private(set) var mistake: Int?
    private var scanner: Scanner
    private var token: Token?

    init(_ bytes: [UInt8]) {
        scanner = Scanner(bytes)
        token = scanner.next()
        if !readValue(of: []) || token != nil { mistake = scanner.tokenLine }
    }

    /// The place of a name within those of its containers.
    func place(of names: [String]) -> Place? { places[names] }

    private mutating func readValue(of names: [String]) -> Bool {
        guard names.count < Self.deepest, let first = token else { return false }
        token = scanner.next()
        switch first {
        case .word: return true
        case .mark(UInt8(ascii: "{")):
            return readList(until: UInt8(ascii: "}")) { places in
                guard case .word(let name) = places.token else { return false }
                let all = names + [name]
                if places.places[all] == nil {
                    places.places[all] = Place(
                        line: places.scanner.tokenLine, order: places.places.count)
                }
                places.token = places.scanner.next()
                return places.skip(UInt8(ascii: ":")) && places.readValue(of: all)
            }
        case .mark(UInt8(ascii: "[")):
            return readList(until: UInt8(ascii: "]")) { $0.readValue(of: names + [""]) }
        case .mark: return false
        }
    }

    private mutating func readList(
        until end: UInt8, _ readElement: (inout ConfigurationPlaces) -> Bool
    ) -> Bool {
        while token != .mark(end) {
            guard readElement(&self) else { return false }
            guard token == .mark(end) || skip(UInt8(ascii: ",")) else { return false }
        }
        return skip(end)
    }

    /// Skips this mark; returns false if something else is there.
    private mutating func skip(_ mark: UInt8) -> Bool {
        guard token == .mark(mark) else { return false }
        token = scanner.next()
        return true
    }

    private enum Token: Equatable {
        case mark(UInt8)
        case word(String)
    }

    private struct Scanner {
        /// The line on which the last token begins, or the last line.
        private(set) var tokenLine = 1
        private let bytes: [UInt8]
        private var place = 0
        private var line = 1

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

        mutating func next() -> Token? {
            skip()
            tokenLine = line
            guard let first = byte else { return nil }
            if "{}[]:,".utf8.contains(first) {
                advance()
                return .mark(first)
            }
            let isQuoted = [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(first)
            return .word(isQuoted ? quoted(first) : plain())
        }

        private mutating func advance() {
            if byte == UInt8(ascii: "\n") { line += 1 }
            place += 1
        }

        /// Skips spaces and comments.
        private mutating func skip() {
            while let current = byte {
                if current <= 0x20 {
                    advance()
                } else if bytes[place...].starts(with: "//".utf8) {
                    while let current = byte, current != UInt8(ascii: "\n") { advance() }
                } else if bytes[place...].starts(with: "/*".utf8) {
                    while byte != nil, !bytes[place...].starts(with: "*/".utf8) { advance() }
                    place = min(place + 2, bytes.count)
                } else {
                    return
                }
            }
        }

        private mutating func quoted(_ mark: UInt8) -> String {
            var word: [UInt8] = []
            advance()
            while let current = byte, current != mark {
                if current == UInt8(ascii: "\\") { advance() }
                if let current = byte { word.append(current) }
                advance()
            }
            advance()
            return String(decoding: word, as: UTF8.self)
        }

        private mutating func plain() -> String {
            let ends = Set("{}[]:,\"'/".utf8)
            var word: [UInt8] = []
            while let current = byte, current > 0x20, !ends.contains(current) || word.isEmpty {
                word.append(current)
                advance()
            }
            return String(decoding: word, as: UTF8.self)
        }
    }
}
