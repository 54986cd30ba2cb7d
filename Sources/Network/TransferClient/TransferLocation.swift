package import Dispatch
package import UndersongBase
package import UndersongControl

/// The address of a session's `undersong-transferd`, and the way to start it.
///
/// Nothing here reads the environment: programs take the folders from there and hand them over, and
/// libraries use `standard`.
package struct TransferLocation: Hashable, Sendable {
    /// The program's name.
    package static let programName = "undersong-transferd"
    /// The folders in which programs are installed, for programs that do not read PATH.
    package static let usualPrograms = "/usr/local/bin:/usr/bin"

    /// The session's name.
    package var session: String
    /// The folder for the sockets of this user's programs.
    package var runtimeFolder: String
    /// The folder for what this user's programs keep; nil if the program finds it by itself, from
    /// its environment.
    package var stateFolder: String?
    /// The program's path.
    package var program: String
    /// True if `connect` starts the program if none answers. Under systemd its socket does that: as a
    /// child of another service it would be in that one's sandbox.
    package var startsProgram = true
    /// Further arguments of the program.
    package var arguments: [String] = []

    /// Creates a location. Without `program`, it is the one next to this process's executable, or
    /// the first in the folders of `searchPath`.
    package init(
        session: String, runtimeFolder: String, stateFolder: String? = nil, program: String? = nil,
        searchPath: String?
    ) {
        self.session = session
        self.runtimeFolder = runtimeFolder
        self.stateFolder = stateFolder
        self.program =
            program ?? ServiceStarter.program(named: Self.programName, searchPath: searchPath)
            ?? Self.programName
    }

    /// The location of a session of this user, without any environment variable: `/run/user/UID`, and
    /// the program next to the executable or where programs are installed. With `service` it is in the
    /// folder of that one's sockets, and the program is looked for where the service's is.
    package static func standard(
        session: String = "default", beside service: ServiceLocation? = nil
    ) -> TransferLocation {
        TransferLocation(
            session: session,
            runtimeFolder: service?.socket.runtimeFolder
                ?? ControlSocket.runtimeFolder(variable: nil),
            searchPath: service?.searchPath ?? usualPrograms)
    }

    /// Connects, and starts the program if none answers and that is wanted. `name` identifies the
    /// client. `onStart` is called if this call has started the program; see `ControlClient.init` for
    /// the others. Descriptors go from the client to the program, with `ControlClient.call`.
    ///
    /// A connection that is lost is not made again: the program may have been killed, and `connect`
    /// starts another one, which continues all transfers.
    ///
    /// - Throws: `unavailable` when the program cannot be started or its folder cannot be used,
    ///   `invalidParams` for a session's name.
    package func connect(
        name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in },
        onStart: () -> Void = {}
    ) throws(ControlError) -> ControlClient {
        guard startsProgram else {
            return try connectToRunning(name: name, onNotice: onNotice, onClose: onClose)
        }
        var words = ["--session", session, "--listen-fd", "3", "--runtime-folder", runtimeFolder]
        if let stateFolder { words += ["--state-folder", stateFolder] }
        return try ServiceStarter.connect(
            to: socket,
            program: ServiceStarter.Program(path: program, arguments: words + arguments),
            name: name, onNotice: onNotice, onClose: onClose, onStart: onStart)
    }

    /// Connects if the program runs, as above.
    package func connectToRunning(
        name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws(ControlError) -> ControlClient {
        try ServiceStarter.connect(
            to: socket, name: name, onNotice: onNotice, onClose: onClose)
    }

    /// The program's sockets.
    private var socket: ControlSocket {
        ControlSocket(
            session: ControlSocket.transfers(of: session), runtimeFolder: runtimeFolder,
            entrance: stateFolder.map { StateEntrance(folder: "\($0)/\(session)/transfers") })
    }
}

extension ControlLink {
    /// Creates a link to the program at `location`, which knows this one by `name`.
    package convenience init(
        _ location: TransferLocation, name: String, clock: any HostClock,
        queue: DispatchQueue = DispatchQueue(label: "undersong.transfer-link")
    ) {
        self.init(clock: clock, queue: queue) { onNotice, onClose throws(ControlError) in
            try location.connect(name: name, onNotice: onNotice, onClose: onClose)
        }
    }
}
