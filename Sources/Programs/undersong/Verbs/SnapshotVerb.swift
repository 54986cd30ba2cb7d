import ArgumentParser
import FoundationEssentials
import UndersongBackground
import UndersongCommandOptions

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
    /// When and after what it was taken, what was playing, and the state of background tasks.
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
