import CommandOptions
import Control

/// What to put into the queue, as it is written on the command line.
extension Files {
    /// Names `files`, of which relative ones begin at this program's folder.
    init(named files: [String], start: Seconds? = nil, end: Seconds? = nil) {
        let folder = FilePath.current
        self.init(
            files.map { FilePath.absolute($0, in: folder) }, start: start?.wireTime,
            end: end?.wireTime)
    }

    /// The descriptors that go with the message.
    var descriptors: [Int32] { paths.contains("-") ? [0] : [] }
}
