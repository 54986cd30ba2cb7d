/// The address of a D-Bus message bus.
package enum BusAddress: Hashable, Sendable {
    /// The system bus.
    case system
    /// The user's bus, where libsystemd looks for it: as the environment says, otherwise in the
    /// user's runtime folder.
    case user
    /// The bus at this D-Bus address, such as `unix:path=/run/user/1000/bus`.
    case at(String)

    /// The folder of the bus's socket; nil if there is none or the address does not name it.
    var socketFolder: String? {
        guard case .at(let text) = self else { return nil }
        for address in text.split(separator: ";") where address.hasPrefix("unix:") {
            for pair in address.dropFirst(5).split(separator: ",") where pair.hasPrefix("path=/") {
                let path = Self.unescaped(pair.dropFirst(5))
                guard let end = path.lastIndex(of: "/") else { continue }
                return end == path.startIndex ? "/" : String(path[..<end])
            }
        }
        return nil
    }

    /// The text with each `%` and two hexadecimal digits decoded to a byte.
    private static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2,
                let code = UInt8(digits, radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
