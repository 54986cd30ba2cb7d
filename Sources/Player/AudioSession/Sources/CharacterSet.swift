import Glibc

/// The character sets known to the C library.
package enum CharacterSet {
    private enum Failure: Error {
        case unknownSet, invalid
        /// The last character is incomplete.
        case incomplete
    }

    /// The text of `bytes` in the character set with this `iconv` name; nil if they are not valid
    /// in it, or if the set is unknown.
    static func text(_ bytes: [UInt8], _ name: String) -> String? {
        try? converted(bytes, name)
    }

    /// The character for each byte of a single-byte character set, -1 for none; nil for any other
    /// set.
    package static func characters(_ name: String) -> [Int32]? {
        var characters: [Int32] = []
        for byte in 0...UInt8.max {
            do throws(Failure) {
                let text = try converted([byte], name).unicodeScalars
                guard text.count == 1, let scalar = text.first else { return nil }
                characters.append(Int32(scalar.value))
            } catch .invalid {
                characters.append(-1)
            } catch {
                return nil
            }
        }
        return characters
    }

    private static func converted(_ bytes: [UInt8], _ name: String) throws(Failure) -> String {
        let converter = unsafe iconv_open("UTF-8", name)
        guard Int(bitPattern: converter) != -1 else { throw .unknownSet }
        defer { unsafe iconv_close(converter) }
        var input = bytes.map { CChar(bitPattern: $0) }
        // A byte yields one character at most, which has four bytes at most.
        var output = [CChar](repeating: 0, count: bytes.count * 4)
        var room = output.count
        let code = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe output.withUnsafeMutableBufferPointer { output in
                var (source, left) = (input.baseAddress, input.count)
                var target = output.baseAddress
                return unsafe iconv(converter, &source, &left, &target, &room) == -1 ? errno : 0
            }
        }
        guard code == 0 else { throw code == EINVAL ? .incomplete : .invalid }
        let text = output[..<(output.count - room)].map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}
