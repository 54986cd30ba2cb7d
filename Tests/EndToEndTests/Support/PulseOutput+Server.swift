import UndersongBase
import UndersongPlayback

@testable import UndersongAudioIO

extension PulseOutput {
    /// Opens a stream over its own connection, which belongs to the calling thread.
    init(format: StreamFormat, server: String?, device: String?) throws(OutputError) {
        try self.init(
            format: format,
            on: ServerConnection(
                .init(server: server, clock: SystemClock()), doing: WorkList()),
            device: device)
    }
}
