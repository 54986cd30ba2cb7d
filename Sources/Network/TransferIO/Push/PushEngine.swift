import Synchronization
package import UndersongBase
import UndersongTransfers

/// Listens at one topic of ntfy, as `NtfyListener` decides: with libcurl, on one thread, which runs
/// as long as there is a topic. The topic and the last message that was delivered are in a file, so that
/// the next process continues from there. Any thread may call it.
package final class PushEngine: Sendable {
    /// The settings of an engine.
    package struct Settings: Sendable {
        /// The value of `User-Agent`.
        package var userAgent = "Undersong"
        /// A file with the certificates to trust; nil for the system's.
        package var certificateFile: String?
        /// Determines the jitter.
        package var seed: UInt64 = 1

        package init() {}
    }

    /// Delivers a message; without a payload, the news that messages may be missing. `answer` is
    /// called once, on any thread: with true if it was accepted, or refused for good.
    package typealias Deliver =
        @Sendable (
            _ identifier: String, _ payload: [UInt8]?, _ answer: @escaping @Sendable (Bool) -> Void
        ) -> Void

    private let file: String
    private let thread: EngineThread<PushEngineState>
    private let listening = Mutex(false)

    /// Creates an engine that keeps its topic in `file`. `log` is called with troubles.
    package init(
        file: String, settings: Settings, clock: any HostClock, deliver: @escaping Deliver,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        thread = EngineThread(named: "pushes", clock: clock) { multi, thread in
            PushEngineState(multi, file: file, settings, clock, log: log) { identifier, payload in
                deliver(identifier, payload) { thread.post(.answered(identifier, $0)) }
            }
        }
    }

    /// True if there is a topic.
    package var isListening: Bool { listening.withLock(\.self) }

    /// Continues with the topic of the file, if there is one.
    package func start() {
        guard let record = RecordFile<PushRecord>(file).record else { return }
        listen(to: record.url) { _ in }
    }

    /// Listens at this topic from now on, also in later processes; nil for none. `answer` is called
    /// once, on any thread, with 0, or with the `errno` if that could not be kept.
    package func listen(to url: String?, answer: @escaping @Sendable (Int32) -> Void) {
        listening.withLock { isListening in
            isListening = url != nil
            thread.post(.listen(url: url, answer: answer))
        }
    }

    /// The machine has slept, or has another network.
    package func awake() { if isListening { thread.post(.awoke) } }
}

/// The topic, and the position in it.
struct PushRecord: Codable, Equatable {
    var url: String
    var place = NtfyPosition()
}
