import Synchronization
package import UndersongBackground
package import UndersongControl

/// The way in which this process's app is launched while it does not run. Any thread may use it.
package enum AppLaunch {
    /// The command line of `undersong app wake`, with the app's identifier.
    private static let wake = Mutex<[String]?>(nil)

    private static let location = Mutex<ServiceLocation?>(nil)

    /// The location of the service that knows this process as an app; nil for another program.
    package static var service: ServiceLocation? { location.withLock(\.self) }

    /// Sets the app that the service at `location` knows this process by, and the path of `undersong`,
    /// which wakes or launches it; nil if there is no such program.
    package static func set(app identifier: String, program: String?, location: ServiceLocation) {
        let session = location.socket.session
        let options = session == "default" ? [] : ["--session", session]
        wake.withLock { $0 = program.map { [$0, "app", "wake", identifier] + options } }
        Self.location.withLock { $0 = location }
    }

    /// The command that wakes or launches this process's app for its background session, or because of
    /// the location: an absolute path and arguments. Nil for another reason, and where no service knows
    /// the app: then the program has to name a command of its own.
    package static func command(for reason: AppReason) -> [String]? {
        let words: [String]
        switch reason {
        case .transfers(let session): words = ["--events", session]
        case .location: words = ["--location"]
        case .user, .task, .push, .notification: return nil
        }
        return wake.withLock { $0.map { $0 + words } }
    }
}
