import Synchronization
import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongPlayback

/// The output of `undersong render`: a new file that replaces its destination when complete, or
/// something that receives the bytes as they come.
final class RenderTarget: Sendable {
    /// The file to which the sound is written.
    let path: FilePath
    private let name: FilePath
    private let file: Mutex<NewFile?>

    /// Creates the file; an existing one in its place is kept unless it `replaces` that. Throws if
    /// it cannot be created.
    init(_ place: RenderPlace, replaces: Bool) throws(NewFileError) {
        name = place.name
        guard place.takesNewFile else {
            path = place.path
            file = Mutex(nil)
            return
        }
        let file = try NewFile(at: place.path, replaces: replaces)
        path = file.temporary
        self.file = Mutex(file)
    }

    /// Moves the file to its destination.
    func commit() throws(NewFileError) {
        try file.withLock { file throws(NewFileError) in try file.take()?.commit() }
    }

    /// Removes what was written.
    func discard() { file.withLock { $0 = nil } }

    /// `event` with the name that the user knows.
    func named(_ event: PlayerEvent) -> PlayerEvent {
        guard case .error(let failure) = event.kind else { return event }
        var event = event
        event.kind = .error(
            failure.naming(
                name == .standardStream ? "to standard output" : name.description, for: path))
        return event
    }
}

extension SessionFailure {
    /// The same failure with `name` instead of `path`.
    fileprivate func naming(_ name: String, for path: FilePath) -> SessionFailure {
        guard message == "cannot write \(path): \(reason)" else { return self }
        var failure = self
        failure.message = "cannot write \(name): \(reason)"
        return failure
    }
}
