import CommandOptions
import Control
import Playback

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

    /// The descriptors to send with the message.
    var descriptors: [Int32] { paths.contains(.standardStream) ? [0] : [] }
}
