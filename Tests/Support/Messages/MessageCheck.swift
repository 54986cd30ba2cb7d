internal import Foundation
public import UndersongBase

/// Compares a type with the JSON schema of its messages: decodes all that the schema permits, and
/// records which members and words the type knows.
public final class MessageCheck {
    /// The parts of messages, by their paths in them.
    fileprivate struct Part {
        var given: Set<String> = []
        var always: Set<String>?
        var asked: Set<String> = []
        var optional: Set<String> = []
        var words: Set<String>?
        var givenWords: Set<String> = []
    }

    fileprivate var parts: [String: Part] = [:]
    private let name: String
    private var violations: Set<String> = []

    private init(_ name: String) { self.name = name }

    /// The differences between a type and the samples of its schema, one line each. Members that the
    /// schema requires are never missing in `isSent` messages.
    public static func differences<Value: Codable>(
        between type: Value.Type, and samples: [JSONValue], named name: String, isSent: Bool
    ) -> [String] {
        let check = MessageCheck(name)
        for (index, sample) in samples.enumerated() {
            check.decode(type, sample, isWhole: index == 0)
        }
        if samples.isEmpty { check.violations.insert("\(name): has no schema") }
        check.compareParts(isSent: isSent) { path, word in
            let other = samples.first?.replacing(path, by: word) ?? .null
            return (try? JSONDecoder().decode(type, from: JSONEncoder().encode(other))) != nil
        }
        return check.violations.sorted()
    }

    /// The differences between a call and a schema, in its parameters and its result.
    public static func differences<Call: ControlCall>(
        of call: Call.Type, _ schema: SchemaSamples, method: String = Call.method
    ) -> [String] {
        let name = method + ".result"
        guard let reply = schema.definition(name) else { return ["\(name): is missing"] }
        return differences(of: call, schema, method, isSent: false)
            + differences(
                between: Call.Reply.self, and: schema.samples(of: reply), named: name,
                isSent: true)
    }

    /// The differences between a notice and a schema.
    public static func differences<Notice: ControlNotice>(
        of notice: Notice.Type, _ schema: SchemaSamples
    ) -> [String] {
        differences(of: notice, schema, Notice.method, isSent: true)
    }

    private static func differences<Value: Codable>(
        of type: Value.Type, _ schema: SchemaSamples, _ method: String, isSent: Bool
    ) -> [String] {
        guard let definition = schema.definition(method) else { return ["\(method): is missing"] }
        let parameters = definition["properties"]?["params"] ?? .object([:])
        return differences(
            between: type, and: schema.samples(of: parameters), named: method, isSent: isSent)
    }

    private func decode<Value: Codable>(_ type: Value.Type, _ sample: JSONValue, isWhole: Bool) {
        note(sample, at: "")
        do {
            let value = try Value(
                from: RecordingDecoder(check: self, value: sample, codingPath: []))
            let encoded = try JSONDecoder().decode(
                JSONValue.self, from: JSONEncoder().encode(value))
            if isWhole, encoded.shape != sample.shape {
                violations.insert("\(name): \(sample.shape) is encoded as \(encoded.shape)")
            }
        } catch {
            violations.insert("\(name): is not decoded: \(error)")
        }
    }

    /// Notes which members a sample has.
    private func note(_ value: JSONValue, at path: String) {
        switch value {
        case .object(let members):
            let names = Set(members.keys)
            parts[path, default: Part()].given.formUnion(names)
            let always = parts[path]?.always?.intersection(names) ?? names
            parts[path]?.always = always
            for (name, member) in members { note(member, at: path + "." + name) }
        case .array(let elements):
            for element in elements { note(element, at: path + "[]") }
        case .string(let word): parts[path, default: Part()].givenWords.insert(word)
        default: break
        }
    }

    /// `isKnown` says whether the type decodes a message with a word at a path.
    private func compareParts(isSent: Bool, isKnown: (String, String) -> Bool) {
        for (path, part) in parts {
            for member in part.asked.subtracting(part.given) where !part.given.isEmpty {
                violations.insert("\(name)\(path): the schema lacks '\(member)'")
            }
            if isSent {
                for member in part.optional.intersection(part.always ?? []) {
                    violations.insert("\(name)\(path): '\(member)' is not always there")
                }
            }
            // A call may refuse words that the type knows.
            if let words = part.words, !part.givenWords.isEmpty,
                !words.isSuperset(of: part.givenWords)
                    || isSent
                        && words.subtracting(part.givenWords).contains(where: { isKnown(path, $0) })
            {
                violations.insert(
                    "\(name)\(path): the words are \(words.sorted()), in the schema "
                        + "\(part.givenWords.sorted())")
            }
        }
    }
}

extension JSONValue {
    /// The value with a string in place of the parts at a path.
    fileprivate func replacing(_ path: String, by word: String) -> JSONValue {
        let names = path.replacing("[]", with: ".[]").split(separator: ".")
        guard let name = names.first else { return .string(word) }
        let rest = names.dropFirst().map { "." + $0 }.joined()
        switch self {
        case .object(let members):
            let member = members[String(name)]?.replacing(rest, by: word)
            return .object(members.merging([String(name): member ?? .null]) { $1 })
        case .array(let elements): return .array(elements.map { $0.replacing(rest, by: word) })
        default: return self
        }
    }
}

/// A type with a fixed list of words.
private protocol WordList { static var wordList: [String] { get } }

extension Open: WordList where Known: CaseIterable {
    fileprivate static var wordList: [String] { Known.allCases.map(\.rawValue) }
}

/// The words of a type; nil if it has no fixed list of them.
private func words(of type: Any.Type) -> [String]? {
    if let list = type as? any WordList.Type { return list.wordList }
    func list<Word: RawRepresentable & CaseIterable>(_ type: Word.Type) -> [String]? {
        let words = Word.allCases.map(\.rawValue)
        return words as? [String]
    }
    guard let type = type as? any (RawRepresentable & CaseIterable).Type else { return nil }
    return list(type)
}

private struct Problem: Error, CustomStringConvertible {
    var description: String
}

/// Decodes JSON, and records what it is asked for.
private struct RecordingDecoder: Decoder, SingleValueDecodingContainer {
    let check: MessageCheck
    let value: JSONValue
    var codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    var path: String {
        codingPath.map { $0.intValue == nil ? "." + $0.stringValue : "[]" }.joined()
    }

    private func wrong(_ kind: String) -> Problem {
        Problem(description: "\(path) is not a JSON \(kind)")
    }

    func inner(_ value: JSONValue, _ key: any CodingKey) -> RecordingDecoder {
        RecordingDecoder(check: check, value: value, codingPath: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw wrong("object") }
        return KeyedDecodingContainer(RecordingMembers(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw wrong("array") }
        return RecordingElements(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .bool(let value) = value else { throw wrong("Boolean") }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let value) = value else { throw wrong("string") }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard case .number(let value) = value else { throw wrong("number") }
        return value
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let words = words(of: type) {
            check.parts[path, default: MessageCheck.Part()].words = Set(words)
        }
        if let type = type as? any FixedWidthInteger.Type {
            func integer<Integer: FixedWidthInteger>(_: Integer.Type) throws -> Value? {
                Integer(exactly: try decode(Double.self)) as? Value
            }
            guard let value = try integer(type) else { throw wrong("integer") }
            return value
        }
        if type == Data.self, let data = Data(base64Encoded: try decode(String.self)) as? Value {
            return data
        }
        if type == Float.self, let float = Float(try decode(Double.self)) as? Value { return float }
        return try Value(from: self)
    }
}

private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordingDecoder
    let members: [String: JSONValue]

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    private func note(_ key: Key, isOptional: Bool = false) {
        decoder.check.parts[decoder.path, default: MessageCheck.Part()].asked.insert(
            key.stringValue)
        if isOptional { decoder.check.parts[decoder.path]?.optional.insert(key.stringValue) }
    }

    private func member(_ key: Key) throws -> RecordingDecoder {
        note(key)
        guard let value = members[key.stringValue] else {
            throw Problem(description: "\(decoder.path).\(key.stringValue) is missing")
        }
        return decoder.inner(value, key)
    }

    func contains(_ key: Key) -> Bool {
        note(key)
        return members[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try member(key).decode(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        note(key, isOptional: true)
        guard let value = members[key.stringValue], value != .null else { return nil }
        return try decoder.inner(value, key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct RecordingElements: UnkeyedDecodingContainer {
    struct Index: CodingKey {
        var intValue: Int?
        var stringValue: String { "" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { nil }
    }

    let decoder: RecordingDecoder
    let elements: [JSONValue]
    var currentIndex = 0

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws -> RecordingDecoder {
        guard !isAtEnd else { throw Problem(description: decoder.path + " is at its end") }
        defer { currentIndex += 1 }
        return decoder.inner(elements[currentIndex], Index(intValue: currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try next().decode(type)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}
