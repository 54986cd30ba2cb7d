import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// Files given on the command line.
extension Files {
    /// Makes the request for `files`, of which relative paths start at this program's working
    /// directory. Errors: a URL is not a file's.
    init(named files: [FilePath], start: Seconds? = nil, end: Seconds? = nil) throws(LocationError)
    {
        let folder = FilePath.current
        var paths: [FilePath] = []
        for file in files { paths.append(try file.located(in: folder)) }
        self.init(paths, start: start?.wireTime, end: end?.wireTime)
    }

    /// The most bytes of paths in one message.
    private static let pieceLength = 256 * 1024

    /// These files in as many requests as they need, in order; one if there are none.
    var pieces: [Files] {
        var pieces: [Files] = []
        var piece = Files([FilePath](), start: start, end: end)
        var length = 0
        for path in paths {
            let count = path.bytes.count
            if length + count > Self.pieceLength, length > 0 {
                pieces.append(piece)
                (piece.paths, length) = ([], 0)
            }
            piece.paths.append(path)
            length += count
        }
        return pieces + [piece]
    }

    /// The descriptors to send with the message.
    var descriptors: [Int32] { paths.contains(.standardStream) ? [0] : [] }
}
