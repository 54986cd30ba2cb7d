/// A D-Bus value of any type except descriptors.
package indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    /// Precondition when sent: `isObjectPath`.
    case objectPath(String)
    case signature(String)
    /// An array of bytes, `ay`.
    case bytes([UInt8])
    /// Values of one type other than a byte, which is given as a signature because the array may be empty.
    case array(of: String, [BusValue])
    case structure([BusValue])
    /// An element of an array that is a dictionary.
    case entry(key: BusValue, value: BusValue)
    case variant(BusValue)

    /// Variants by name, as properties are sent.
    package static func dictionary(_ values: [String: BusValue]) -> BusValue {
        .array(
            of: "{sv}",
            values.sorted { $0.key < $1.key }.map {
                .entry(key: .string($0.key), value: .variant($0.value))
            })
    }

    /// An array of strings.
    package static func strings(_ texts: [String]) -> BusValue {
        .array(of: "s", texts.map { .string($0) })
    }

    /// An array of object paths.
    package static func objectPaths(_ paths: [String]) -> BusValue {
        .array(of: "o", paths.map { .objectPath($0) })
    }

    /// The elements of a dictionary of variants by name; nil if it is not one, or a name comes
    /// twice.
    package var members: [String: BusValue]? {
        guard case .array("{sv}", let entries) = self else { return nil }
        var members: [String: BusValue] = [:]
        for entry in entries {
            guard case .entry(.string(let name), .variant(let value)) = entry,
                members.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        return members
    }

    /// The text of a string; nil for other values.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value's type, as a D-Bus signature.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .variant: "v"
        }
    }

    /// Returns true if a text is a valid object path.
    package static func isObjectPath(_ text: String) -> Bool {
        guard text.utf8.first == UInt8(ascii: "/"), text != "/" else { return text == "/" }
        return text.dropFirst().utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
        ).allSatisfy { !$0.isEmpty && $0.allSatisfy(isNameByte) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }
}
