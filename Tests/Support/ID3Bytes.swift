/// An ID3v2 tag of these frames.
package func id3Tag(_ frames: [UInt8], version: UInt8 = 3, flags: UInt8 = 0) -> [UInt8] {
    Array("ID3".utf8) + [version, 0, flags] + id3Number(frames.count, bits: 7) + frames
}

/// A frame of an ID3v2 tag, of version 2.2 if its name has three letters. `size` is the number of bits
/// per byte in its size, `claims` a wrong size.
package func id3Frame(
    _ name: String, _ contents: [UInt8], flags: UInt8 = 0, size: Int = 8, claims: Int? = nil
) -> [UInt8] {
    let length = id3Number(claims ?? contents.count, bits: size)
    if name.utf8.count == 3 { return Array(name.utf8) + length.dropFirst() + contents }
    return Array(name.utf8) + length + [0, flags] + contents
}

/// A number of four bytes.
package func id3Number(_ number: Int, bits: Int = 8) -> [UInt8] {
    (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * bits) & (1 << bits - 1)) }
}

/// Bytes with a zero after each 255.
package func id3Unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { $0 == 0xFF ? [$0, 0] : [$0] }
}
