/// One command as a client has written it: a word and its arguments.
struct MPDRequest: Equatable {
    /// The most arguments of a command.
    static let mostArguments = 64

    /// The command's name.
    var name: String
    /// The arguments, without their quotes.
    var arguments: MPDArguments

    /// Parses the line of a command, which has no line feed.
    ///
    /// - Throws: A refusal with the name of the command as far as it is known. Without a name, the
    ///   client does not speak the protocol.
    init(_ line: some Collection<UInt8>) throws(Refusal) {
        var rest = Array(line)[...]
        guard let first = rest.first else { throw Refusal(.unknown, "No command given") }
        guard first.isLetter else { throw Refusal(.unknown, "Letter expected") }
        let word = rest.prefix { !$0.isBlank }
        guard word.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x5f }) else {
            throw Refusal(.unknown, "Invalid word character")
        }
        name = String(decoding: word, as: UTF8.self)
        rest = rest.dropFirst(word.count).drop { $0.isBlank }
        var texts: [String] = []
        while let first = rest.first {
            guard texts.count < Self.mostArguments else {
                throw Refusal(.argument, "Too many arguments", isSpeaker: true)
            }
            texts.append(first == 0x22 ? try Self.quoted(&rest) : try Self.unquoted(&rest))
            rest = rest.drop { $0.isBlank }
        }
        arguments = MPDArguments(texts)
    }

    private static func unquoted(_ rest: inout ArraySlice<UInt8>) throws(Refusal) -> String {
        let word = rest.prefix { !$0.isBlank }
        guard word.allSatisfy({ $0 != 0x22 && $0 != 0x27 }) else {
            throw Refusal(.unknown, "Invalid unquoted character", isSpeaker: true)
        }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) throws(Refusal) -> String {
        rest = rest.dropFirst()
        var text: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == 0x22 {
                guard rest.first?.isBlank ?? true else {
                    throw Refusal(
                        .unknown, "Space expected after closing '\"'", isSpeaker: true)
                }
                return String(decoding: text, as: UTF8.self)
            }
            if byte == 0x5c {
                guard let next = rest.popFirst() else { break }
                byte = next
            }
            text.append(byte)
        }
        throw Refusal(.unknown, "Missing closing '\"'", isSpeaker: true)
    }

    /// The reason why a line is not a command.
    struct Refusal: Error {
        var error: MPDError
        /// False if the line does not even begin with a word.
        var isSpeaker: Bool

        init(_ code: MPDError.Code, _ text: String, isSpeaker: Bool = false) {
            error = MPDError(code, text)
            self.isSpeaker = isSpeaker
        }
    }
}

extension UInt8 {
    /// True for blanks and control characters, which separate arguments.
    var isBlank: Bool { self <= 0x20 }
    /// True for an ASCII letter.
    var isLetter: Bool { 0x61...0x7a ~= self | 0x20 }
    /// True for an ASCII digit.
    var isDigit: Bool { 0x30...0x39 ~= self }
}
