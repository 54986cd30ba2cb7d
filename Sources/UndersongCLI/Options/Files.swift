import CommandOptions
import Control
import Playback

/// What to put into the queue, as it is written on the command line.
extension Files {
    /// Names `files`, of which relative ones begin at this program's folder. Errors: one is a URL of
    /// something else than a file.
    init(named files: [FilePath], start: Seconds? = nil, end: Seconds? = nil) throws(LocationError)
    {
        let folder = FilePath.current
        var paths: [FilePath] = []
        for file in files { paths.append(try file.located(in: folder)) }
        self.init(paths, start: start?.wireTime, end: end?.wireTime)
    }

    /// The descriptors that go with the message.
    var descriptors: [Int32] { paths.contains(.standardStream) ? [0] : [] }
}
