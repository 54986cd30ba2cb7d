import ArgumentParser
import Dispatch
import FoundationEssentials
import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// `undersong snapshot`: shows what the service has left when it was last used.
struct SnapshotVerb: Verb {
    static let configuration = described(
        "snapshot", "Show the player as it was when it left the foreground, without waking it.",
        discussion: """
            The service takes a snapshot when the player has left the foreground, and after each task \
            in the background. It is read from a file: the service is neither woken nor started.
            """)

    @OptionGroup var options: SessionOptions

    func perform() throws {
        guard let folder = StateFolder.path(session: options.session) else {
            throw Failure("cannot show the snapshot: There is no home folder")
        }
        let path = folder + "/" + StateSnapshot.fileName
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(
                "cannot show the snapshot: There is none until the player has left the foreground")
        }
        guard let snapshot = try? JSONDecoder().decode(StateSnapshot.self, from: data) else {
            throw Failure("cannot show the snapshot \(path): It is damaged")
        }
        options.show(snapshot, SnapshotText.screen)
    }
}

/// A snapshot as text.
enum SnapshotText {
    /// The time and the occasion, what was playing, and the state of background tasks.
    static func screen(_ snapshot: StateSnapshot) -> String {
        let date = RefreshText.time(snapshot.taken, in: snapshot.refresh)
        return """
            taken      \(date), \(moment(snapshot.after))
            player     \(StatusText.line(snapshot.status))
            \(RefreshText.status(snapshot.refresh))
            """
    }

    private static func moment(_ moment: StateSnapshot.Moment) -> String {
        switch moment {
        case .background: "as the player left the foreground"
        case .processing: "after processing"
        case .fetch, .refresh, .push: "after a \(moment.rawValue)"
        }
    }
}

/// `undersong sessions`: lists the sessions that have a service.
struct SessionsVerb: Verb {
    static let configuration = described("sessions", "List the sessions and what they are doing.")

    /// A session in the list.
    struct Entry: Codable, Equatable {
        var session: String
        /// Nil if the service does not answer in time.
        var status: PlayerStatus?
    }

    @Flag(help: "Print the answer as JSON.") var json = false

    func perform() throws {
        let names = ControlSocket.sessions(
            runtimeFolder: Environment.runtimeFolder, stateFolder: Environment.stateFolder)
        let entries = names.map { Entry(session: $0, status: Self.status(of: $0)) }
        let text = json ? JSONLine.text(of: entries) : Self.text(entries)
        writeOutput(text + "\n")
    }

    static func text(_ entries: [Entry]) -> String {
        guard !entries.isEmpty else { return "no service is running" }
        return zip(entries, Columns.aligned(entries.map(\.session))).map { entry, session in
            "\(session)  \(entry.status.map(StatusText.line) ?? "does not answer")"
        }.joined(separator: "\n")
    }

    /// The status of the session's service, if it answers within a second.
    private static func status(of session: String) -> PlayerStatus? {
        guard let service = try? Service(to: "list the sessions", session: session) else {
            return nil
        }
        return service.answer(to: GetStatus(), within: 1)
    }
}

extension Service {
    /// Sends a call and waits up to `seconds` for its answer.
    func answer<Call: ControlCall>(to call: Call, within seconds: Double) -> Call.Reply? {
        awaitAnswer(within: seconds) { send(call, $0) }
    }
}

/// Waits up to `seconds` for the answer that `send` passes on; nil if none comes, or an error.
func awaitAnswer<Answer: Sendable>(
    within seconds: Double,
    _ send: (@escaping @Sendable (Result<Answer, ControlError>) -> Void) -> Void
) -> Answer? {
    let answer = Box<Answer?>(nil)
    let hasCome = DispatchSemaphore(value: 0)
    send { result in
        answer.value.withLock { $0 = try? result.get() }
        hasCome.signal()
    }
    guard hasCome.wait(timeout: .now() + seconds) == .success else { return nil }
    return answer.value.withLock { $0 }
}

/// Shares a value between threads.
private final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
}
