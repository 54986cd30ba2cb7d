import Synchronization
import UndersongAudioSession
import UndersongBase
import UndersongControl

/// Encodes events as lines of JSON, as described by `Documentation/protocol/events.schema.json`. Any
/// thread may use it.
final class EventLineEncoder: Sendable {
    private let timeLine = Mutex<TimeLine?>(nil)

    /// The line for `event`, including its line feed. `missed` says to a slow reader how many events
    /// were dropped before this one.
    func line(for event: PlayerEvent, missed: Int = 0) throws -> [UInt8] {
        guard case .time(isExact: false) = event.kind, missed == 0 else {
            return try encoded(event, missed: missed)
        }
        return try timeLine.withLock { line in
            if line?.update(to: event) != true {
                line = TimeLine(try encoded(event), of: event)
            }
            return try line?.bytes ?? encoded(event)
        }
    }

    /// The line as encoded by `JSONEncoder`, for events of every kind.
    func encoded(_ event: PlayerEvent, missed: Int = 0) throws -> [UInt8] {
        try JSONLine.bytes(of: PlayerEvent(event, missed: missed)) + [UInt8(ascii: "\n")]
    }
}
