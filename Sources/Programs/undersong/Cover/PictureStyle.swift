import CUndersongPicture
import Glibc
import UndersongBase

/// The way in which a terminal shows pictures.
struct PictureStyle: Hashable, Sendable {
    enum Way: Sendable { case kitty, sixel }

    /// The size of a cell in pixels.
    struct Cell: Hashable, Sendable {
        var width: Int
        var height: Int
    }

    /// The number of the picture that is shown, by kitty's protocol.
    static let number = 31
    /// The longest part of a picture in one sequence of kitty's protocol.
    private static let part = 4096
    /// Removes the picture and its data, by kitty's protocol.
    private static let remove = "\u{1B}_Ga=d,d=I,i=\(number),q=2\u{1B}\\"

    var way: Way
    var cell: Cell

    /// The sequence that removes the picture, beyond what drawing text in its place does.
    var removal: String { way == .kitty ? Self.remove : "" }

    /// The sequence that draws a picture at the cursor.
    func text(_ pixels: Pixels) -> String {
        switch way {
        case .kitty: Self.kitty(pixels)
        case .sixel: Self.sixel(pixels)
        }
    }

    /// The size of a picture in cells.
    func cells(of pixels: Pixels) -> (columns: Int, rows: Int) {
        (
            (pixels.width + cell.width - 1) / cell.width,
            (pixels.height + cell.height - 1) / cell.height
        )
    }

    private static func kitty(_ pixels: Pixels) -> String {
        let data = Base64(pixels.bytes).text.utf8
        var text = ""
        var rest = data[...]
        repeat {
            let part = rest.prefix(part)
            rest = rest.dropFirst(part.count)
            let keys =
                text.isEmpty
                ? "a=T,f=24,i=\(number),s=\(pixels.width),v=\(pixels.height),C=1,q=2," : "q=2,"
            text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);"
            text += String(decoding: part, as: UTF8.self) + "\u{1B}\\"
        } while !rest.isEmpty
        return text
    }

    // MARK: Sixels

    /// The shades of red, green and blue: 252 colours, since terminals have 256.
    private static let shades = [6, 7, 6]
    /// The order in which pixels are made brighter, so that colours between two shades are mixed.
    private static let pattern = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
    /// The rows of pixels that one row of sixels has.
    private static let band = 6

    private static func sixel(_ pixels: Pixels) -> String {
        let colors = colors(of: pixels)
        let used = Set(colors).sorted()
        var text = Array("\u{1B}P0;1q\"1;1;\(pixels.width);\(pixels.height)".utf8)
        for color in used {
            let parts = [color / 42, color / 6 % 7, color % 6]
            let percent = zip(parts, shades).map { String($0 * 100 / ($1 - 1)) }
            text += "#\(color);2;\(percent.joined(separator: ";"))".utf8
        }
        for top in stride(from: 0, to: pixels.height, by: band) {
            let rows = top..<min(top + band, pixels.height)
            var masks: [Int: [UInt8]] = [:]
            for row in rows {
                for column in 0..<pixels.width {
                    let color = colors[row * pixels.width + column]
                    masks[color, default: [UInt8](repeating: 0, count: pixels.width)][column] |=
                        1 << UInt8(row - top)
                }
            }
            for (color, mask) in masks.sorted(by: { $0.key < $1.key }) {
                text += "#\(color)".utf8
                append(mask, to: &text)
                text.append(UInt8(ascii: "$"))
            }
            text.append(UInt8(ascii: "-"))
        }
        return String(decoding: text, as: UTF8.self) + "\u{1B}\\"
    }

    private static func append(_ mask: [UInt8], to text: inout [UInt8]) {
        var index = 0
        while index < mask.count {
            var end = index + 1
            while end < mask.count, mask[end] == mask[index] { end += 1 }
            let sixel = mask[index] + 63
            if end - index > 3 {
                text += "!\(end - index)".utf8
                text.append(sixel)
            } else {
                for _ in index..<end { text.append(sixel) }
            }
            index = end
        }
    }

    /// The number of each pixel's colour.
    private static func colors(of pixels: Pixels) -> [Int] {
        (0..<pixels.width * pixels.height).map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: pixels.width)
            let extra = pattern[row % 4 * 4 + column % 4] * 2 + 1
            var color = 0
            for part in 0..<3 {
                let steps = shades[part] - 1
                let shade = (Int(pixels.bytes[index * 3 + part]) * steps * 32 / 255 + extra) / 32
                color = color * shades[part] + min(shade, steps)
            }
            return color
        }
    }
}

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
