import Glibc
import UndersongBase

/// A cover as a terminal shows it.
struct Cover: Equatable, Sendable {
    /// A cover to show, and the most cells for it.
    struct Request: Equatable, Sendable {
        var url: String
        var columns: Int
        var rows: Int
        var style: PictureStyle
    }

    /// The largest file that is read, in bytes.
    private static let largestFile = 16 << 20
    /// The longest side, in pixels: more would hold up the keys while it is sent.
    private static let longestSide = 320

    let request: Request
    /// The sequence that draws it at the cursor.
    let text: String
    let columns: Int
    let rows: Int

    init(request: Request, text: String, columns: Int, rows: Int) {
        (self.request, self.text, self.columns, self.rows) = (request, text, columns, rows)
    }

    /// Reads and decodes a cover; nil if it cannot be shown. Blocks for a while.
    init?(_ request: Request) {
        let cell = request.style.cell
        guard let file = Self.file(at: request.url),
            let pixels = Pixels(
                file, width: min(request.columns * cell.width, Self.longestSide),
                height: min(request.rows * cell.height, Self.longestSide))
        else { return nil }
        self.request = request
        text = request.style.text(pixels)
        (columns, rows) = request.style.cells(of: pixels)
    }

    private static func file(at url: String) -> [UInt8]? {
        let scheme = "file://"
        guard url.hasPrefix(scheme) else { return nil }
        var path: [UInt8] = []
        PercentCoding.decode(Array(url.utf8.dropFirst(scheme.utf8.count)).span, into: &path)
        let descriptor = unsafe FilePath(bytes: path).withPlatformString {
            // A pipe in place of a file would never be opened.
            unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let bytes = try? FileContent.bytes(of: descriptor, limit: largestFile)
        return bytes?.isEmpty == true ? nil : bytes
    }
}

/// The cover that is shown, and the one to load.
struct CoverPlace {
    /// The way in which the terminal shows pictures; nil if it does not.
    var style: PictureStyle?
    /// The cells that there is room for; nil for none.
    var room: (columns: Int, rows: Int)?
    /// The location of the current item's cover.
    var url: String?
    private var requested: Cover.Request?
    private var loaded: Cover?

    /// The cover to show; nil if there is none, or it is not loaded yet.
    var shown: Cover? { loaded?.request == wanted ? loaded : nil }

    private var wanted: Cover.Request? {
        guard let style, let room, let url else { return nil }
        return Cover.Request(url: url, columns: room.columns, rows: room.rows, style: style)
    }

    /// The request that is due; nil if there is none.
    mutating func request() -> Cover.Request? {
        guard let wanted, wanted != requested else { return nil }
        requested = wanted
        return wanted
    }

    /// Handles the end of loading.
    mutating func store(_ cover: Cover?) { loaded = cover }
}
