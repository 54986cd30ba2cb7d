import CUndersongPicture
import Glibc

/// A decoded picture.
struct Pixels: Equatable, Sendable {
    /// Pictures of more pixels than this are not decoded.
    private static let limit = 4096 * 4096

    let width: Int
    let height: Int
    /// Red, green and blue of each pixel, row by row.
    let bytes: [UInt8]

    init(width: Int, height: Int, bytes: [UInt8]) {
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// Decodes a JPEG or PNG file, and makes it small enough for a box of that many pixels. Nil if
    /// it is damaged, too large or of another type. Blocks for a while.
    init?(_ file: [UInt8], width: Int, height: Int) {
        guard width > 0, height > 0 else { return nil }
        var picture = unsafe cpicture()
        let isDone = unsafe file.withUnsafeBufferPointer { file in
            unsafe cpicture_decode(
                file.baseAddress, file.count, UInt32(width), UInt32(height), Self.limit, &picture)
        }
        guard isDone != 0, let pixels = unsafe picture.pixels else { return nil }
        defer { unsafe free(pixels) }
        self.width = unsafe Int(picture.width)
        self.height = unsafe Int(picture.height)
        bytes = unsafe Array(
            UnsafeBufferPointer(start: pixels, count: Int(picture.width * picture.height * 3)))
    }
}
