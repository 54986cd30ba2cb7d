/// The arguments of this process, as texts that preserve every byte.
///
/// Arguments need not be UTF-8. A byte outside of a valid character is represented by one of a
/// private area, U+10F080 to U+10F0FF, and so are the bytes of those characters themselves: each
/// text represents exactly one sequence of bytes.
package enum ProcessArguments {
    private static let area: UInt32 = 0x10F000

    /// The name by which the program was called, without the folder.
    package static var programName: String {
        let name = unsafe CommandLine.unsafeArgv[0].map { text(of: unsafe Array($0)) } ?? ""
        return name.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The arguments after the program's name.
    package static var texts: [String] {
        let pointers = unsafe UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return unsafe pointers.dropFirst().compactMap { pointer in
            unsafe pointer.map { text(of: unsafe Array($0)) }
        }
    }

    /// The text that represents `bytes`.
    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: isByte)
        {
            return text
        }
        var scalars = String.UnicodeScalarView()
        var rest = bytes[...]
        while let byte = rest.first {
            let character = (1...4).lazy.compactMap { count -> Unicode.Scalar? in
                let text = String(validating: rest.prefix(count), as: UTF8.self)
                return text?.unicodeScalars.count == 1 ? text?.unicodeScalars.first : nil
            }.first
            if let character, !isByte(character) {
                scalars.append(character)
                rest = rest.dropFirst(UTF8.width(character))
            } else {
                Unicode.Scalar(area + UInt32(byte)).map { scalars.append($0) }
                rest = rest.dropFirst()
            }
        }
        return String(scalars)
    }

    /// The bytes that `text` represents.
    package static func bytes(of text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: isByte) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            isByte(scalar) ? [UInt8(scalar.value - area)] : Array(UTF8.encode(scalar) ?? .init())
        }
    }

    private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        (area + 0x80...area + 0xFF).contains(scalar.value)
    }
}

extension [UInt8] {
    fileprivate init(_ string: UnsafeMutablePointer<CChar>) {
        self = []
        var character = unsafe string
        while unsafe character.pointee != 0 {
            append(UInt8(bitPattern: unsafe character.pointee))
            unsafe character += 1
        }
    }
}
