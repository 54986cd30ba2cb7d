package import Dispatch
import Glibc
import Synchronization
package import UndersongBase

/// The address of a session's `undersongd`, and the way to start it.
///
/// Nothing here reads the environment: a program hands its variables over.
package struct ServiceLocation: Sendable {
    /// The program's name.
    package static let programName = "undersongd"

    /// The sockets of the session's service.
    package var socket: ControlSocket
    /// The folders in which the program is looked for, as PATH lists them.
    package var searchPath: String?
    /// True if the program is started where none answers.
    package var startsProgram = true

    package init(_ socket: ControlSocket, searchPath: String?) {
        self.socket = socket
        self.searchPath = searchPath
    }

    /// The location of a session for a program with these environment variables.
    package init(session: String, variable: (String) -> String?) {
        let state = Self.stateFolder(variable: variable)
        self.init(
            ControlSocket(
                session: session,
                runtimeFolder: ControlSocket.runtimeFolder(variable: variable("XDG_RUNTIME_DIR")),
                entrance: state.map { StateEntrance(folder: "\($0)/\(session)") }),
            searchPath: variable("PATH"))
    }

    /// The folder for what a user's programs keep; nil if no variable names any.
    package static func stateFolder(variable: (String) -> String?) -> String? {
        if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            return state + "/undersong"
        }
        return variable("HOME").map { $0 + "/.local/state/undersong" }
    }

    /// Connects as the client `name`, and starts the program if none answers. It connects at once to
    /// `soundServer`, empty for the default one; then nothing is waited for, not even the service's
    /// greeting. `onStart` is called if this call has started it.
    package func connect(
        name: String, soundServer: String? = nil,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        onClose: @escaping @Sendable (ControlError) -> Void, onStart: () -> Void = {}
    ) throws(ControlError) -> ControlClient {
        let path = ServiceStarter.program(named: Self.programName, searchPath: searchPath)
        let program = ServiceStarter.Program(
            path: path ?? Self.programName,
            arguments: ["serve", "--session", socket.session, "--listen-fd", "3", "--on-demand"]
                + (soundServer.map { ["--sound-server", $0] } ?? []))
        return try ServiceStarter.connect(
            to: socket, program: program, name: name, greets: soundServer == nil,
            onNotice: onNotice, onClose: onClose, onStart: onStart)
    }

    /// Connects as the client `name` if the program runs.
    package func connectToRunning(
        name: String, onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void,
        onClose: @escaping @Sendable (ControlError) -> Void
    ) throws(ControlError) -> ControlClient {
        try ServiceStarter.connect(
            to: socket, name: name, onNotice: onNotice, onClose: onClose)
    }
}

extension ControlLink {
    /// Creates a link to the service at `location`, which knows this program by `name`.
    ///
    /// The service is started for the first connection, and again if it was killed, which leaves its
    /// socket. One that was ended leaves none: then a connection fails until it runs again.
    package convenience init(
        _ location: ServiceLocation, name: String, clock: any HostClock, queue: DispatchQueue
    ) {
        let hasStarted = Flag()
        self.init(clock: clock, queue: queue) { onNotice, onClose throws(ControlError) in
            let hasSocket = unsafe access(location.socket.path, F_OK) == 0
            let isFirst = hasStarted.raise()
            return try location.startsProgram && (isFirst || hasSocket)
                ? location.connect(name: name, onNotice: onNotice, onClose: onClose)
                : location.connectToRunning(name: name, onNotice: onNotice, onClose: onClose)
        }
    }

    /// A mark that is set once.
    private final class Flag: Sendable {
        private let isRaised = Atomic(false)

        /// Sets it. Returns true if it was not set before.
        func raise() -> Bool { !isRaised.exchange(true, ordering: .relaxed) }
    }
}
