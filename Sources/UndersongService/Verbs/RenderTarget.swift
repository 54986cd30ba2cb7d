import AudioSession
import CommandOptions
import Playback
import Synchronization

/// What `undersong render` writes: a new file that takes its place when it is whole, or what takes
/// the bytes as they come.
final class RenderTarget: Sendable {
    /// Where the sound goes.
    let path: FilePath
    private let name: FilePath
    private let file: Mutex<NewFile?>

    /// Makes the file; one that is in its place already stays unless it `replaces` that. Errors: it
    /// cannot be made.
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

    /// Puts the file into its place.
    func commit() throws(NewFileError) {
        try file.withLock { file throws(NewFileError) in try file.take()?.commit() }
    }

    /// Leaves nothing of the file.
    func discard() { file.withLock { $0 = nil } }

    /// `event` with the name that the user knows.
    func named(_ event: SessionEvent) -> SessionEvent {
        guard case .error(let failure) = event.kind, path != name else { return event }
        var event = event
        event.kind = .error(failure.naming(name, for: path))
        return event
    }
}

extension SessionFailure {
    /// The same of what is called `name` instead of `path`.
    fileprivate func naming(_ name: FilePath, for path: FilePath) -> SessionFailure {
        guard description == "cannot write \(path): \(reason)" else { return self }
        var failure = self
        failure.description = "cannot write \(name): \(reason)"
        return failure
    }
}
