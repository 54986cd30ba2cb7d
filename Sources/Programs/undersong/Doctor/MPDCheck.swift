import UndersongCommandOptions
import UndersongControl

/// Checks whether clients of MPD's protocol find the service.
enum MPDCheck {
    /// The socket at which they look first.
    static var path: String { Environment.runtimeFolder + "/mpd/socket" }

    /// The finding for the usual session, where `holder` is the process that answers at the socket; nil
    /// if none does, since nobody has to serve them.
    static func finding(at path: String, holder: Int32?, service: Int32) -> Finding? {
        guard let holder else { return nil }
        let subject = "MPD's clients"
        guard holder != service else { return .good(subject, "they find the service at \(path)") }
        return .note(
            subject,
            "another server, process \(holder), answers at \(path), so that they find that",
            "end it, and then: undersong shutdown")
    }
}
