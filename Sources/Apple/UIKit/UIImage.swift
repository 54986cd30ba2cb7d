public import Foundation

/// A picture to pass on, such as an album cover: the file's bytes and its size.
///
/// It is never decoded or drawn. Now Playing needs it; PNG and JPEG only.
public final class UIImage: NSObject, Sendable {
    /// The file's bytes.
    public let data: Data

    /// Width and height, in pixels.
    public let size: CGSize

    /// Pixels per point: always 1.
    public var scale: CGFloat { 1 }

    /// Makes an image of nothing, without a size, which is not shown.
    public override init() {
        data = Data()
        size = CGSize(width: 0, height: 0)
    }

    /// Makes an image from the bytes of a PNG or JPEG file; nil for other formats.
    public init?(data: Data) {
        guard let size = Self.pngSize([UInt8](data.prefix(24))) ?? Self.jpegSize([UInt8](data))
        else { return nil }
        self.data = data
        self.size = size
    }

    /// Reads a PNG or JPEG file; nil if it cannot be read or has another format.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// Reads a picture of the main bundle by its file name; without an extension, `.png` and then
    /// `.jpg` are tried. Apple also looks into asset catalogues, which do not exist here.
    public convenience init?(named name: String) {
        let names = name.contains(".") ? [name] : ["\(name).png", "\(name).jpg"]
        let folder = Bundle.main.resourceURL
        let paths = names.compactMap { folder?.appending(path: $0).path(percentEncoded: false) }
        let path = paths.first { FileManager.default.fileExists(atPath: $0) }
        guard let path else { return nil }
        self.init(contentsOfFile: path)
    }

    /// The size in the first chunk of a PNG file.
    private static func pngSize(_ bytes: [UInt8]) -> CGSize? {
        guard bytes.count >= 24,
            bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        else { return nil }
        let width = number(bytes[16..<20])
        let height = number(bytes[20..<24])
        return CGSize(width: width, height: height)
    }

    /// The size in the frame header of a JPEG file, after the segments before it.
    private static func jpegSize(_ bytes: [UInt8]) -> CGSize? {
        guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
        var position = 2
        while position + 9 <= bytes.count, bytes[position] == 0xff {
            let marker = bytes[position + 1]
            if marker == 0xff {
                position += 1
                continue
            }
            let isFrame = (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker)
            if isFrame {
                let height = number(bytes[position + 5..<position + 7])
                let width = number(bytes[position + 7..<position + 9])
                return CGSize(width: width, height: height)
            }
            position += 2 + number(bytes[position + 2..<position + 4])
        }
        return nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
