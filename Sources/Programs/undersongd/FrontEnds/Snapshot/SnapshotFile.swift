import Dispatch
import UndersongBackground
import UndersongBase

/// The file with the last snapshot of the player. Any thread may use it.
struct SnapshotFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "undersong.snapshot", qos: .utility)

    /// `folder` is the session's state folder.
    init(folder: String) { path = folder + "/" + StateSnapshot.fileName }

    /// Replaces the file, later and on a queue of its own. One that cannot be written stays as it is: it
    /// is only a picture of what is kept elsewhere.
    func keep(_ snapshot: StateSnapshot) {
        queue.async {
            guard let json = try? JSONLine.bytes(of: snapshot) else { return }
            _ = NewFile.replace(own: path, with: json + [UInt8(ascii: "\n")])
        }
    }
}
