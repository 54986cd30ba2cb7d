/// Windows-1252 text: Latin-1 with letters and symbols in place of some control characters.
package enum Windows1252 {
    /// The name of the encoding in `iconv`.
    package static let name = "WINDOWS-1252"

    /// The text of `bytes`. The five undefined bytes become Latin-1's control characters.
    package static func text(_ bytes: [UInt8]) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes {
            let isControl = (0x80..<0xA0).contains(byte)
            scalars.append(isControl ? signs[Int(byte) - 0x80] : Unicode.Scalar(byte))
        }
        return String(scalars)
    }

    /// The characters for 0x80 to 0x9F.
    private static let signs = Array(
        """
        \u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\
        \u{2C6}\u{2030}\u{160}\u{2039}\u{152}\u{8D}\u{17D}\u{8F}\
        \u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\
        \u{2DC}\u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}
        """.unicodeScalars)
}
