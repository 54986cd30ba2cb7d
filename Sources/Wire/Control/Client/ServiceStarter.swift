import Glibc
import Synchronization
import UndersongBase

/// Connects to a session's service, starting it if necessary.
public enum ServiceStarter {
    /// The command that starts a service.
    public struct Program: Sendable {
        /// The path of the program.
        public var path: String
        /// The arguments, without the program's name. The listening socket is descriptor 3.
        public var arguments: [String]

        /// Creates a program.
        public init(path: String, arguments: [String]) {
            self.path = path
            self.arguments = arguments
        }
    }

    /// The path of the service's program: next to this one, or else in PATH; nil if there is none.
    public static func program(named name: String, searchPath: String?) -> String? {
        var own = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &own, own.count)
        let bytes = own.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let folder = String(decoding: bytes[..<end], as: UTF8.self)
        let others = (searchPath ?? "").split(separator: ":").map(String.init)
        return ([folder] + others).map { "\($0)/\(name)" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    /// Connects to the session's service. If none answers, starts `program` with a socket that
    /// already listens, so that requests wait there until it is ready. If several clients do so at
    /// once, one of them starts it, and all connect to it.
    ///
    /// A service that has the state is found by its `entrance`, whatever its runtime folder is; one
    /// that is about to end is waited for, and another one started. That takes the answer to a
    /// greeting, for which a caller does not wait that is in a hurry (`greets` is false).
    ///
    /// The service has no terminal, input or output, runs in `/`, and its stderr goes to
    /// `ControlSocket.logPath`. `onStart` is called if this client has started it. See
    /// `ControlClient.init` for the other parameters.
    public static func connect(
        to socket: ControlSocket, program: Program, name: String, greets: Bool = true,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in },
        onStart: () -> Void = {}
    ) throws(ControlError) -> ControlClient {
        let visit = Visit(
            socket: socket, name: name, greets: greets, onNotice: onNotice, onClose: onClose)
        if let found = try visit.find() { return found }
        let lock = try SessionLock(socket)
        if let found = try visit.find() { return found }
        let listener = try lock.listen()
        defer { close(listener) }
        do throws(ControlError) {
            let isContested = socket.entrance?.isLocked ?? false
            let caller = Caller(onClose)
            let client = try ControlClient(
                socket: socket.path, name: name, onNotice: onNotice, onClose: caller.close)
            try start(program, listener: listener, log: socket.logPath)
            if isContested, let other = try visit.find(insteadOf: client) {
                client.close()
                return other
            }
            caller.welcome()
            onStart()
            return client
        } catch {
            lock.remove()
            throw error
        }
    }

    /// Connects to the session's service, if there is one, and does not wait for its answer.
    public static func connect(
        to socket: ControlSocket, name: String,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws(ControlError) -> ControlClient {
        if let entrance = socket.entrance,
            case .success(let descriptor) = try UnixSocket.connect(to: entrance.path)
        {
            return ControlClient(
                descriptor: descriptor, name: name, onNotice: onNotice, onClose: onClose)
        }
        return try ControlClient(
            socket: socket.path, name: name, onNotice: onNotice, onClose: onClose)
    }

    /// True if a service answers at an entrance. One that is about to end does not.
    public static func answers(at entrance: StateEntrance) -> Bool {
        let visit = Visit(
            socket: ControlSocket(session: "", runtimeFolder: "", entrance: entrance), name: "",
            greets: true, onNotice: { _ in }, onClose: { _ in })
        return (try? visit.find(at: [entrance.path])) != nil
    }

    /// Looks for a service.
    private struct Visit {
        /// The number of services in a row that may end while they are connected to.
        private static let mostEndings = 100

        let socket: ControlSocket
        let name: String
        /// True to wait for the answer to a greeting.
        let greets: Bool
        let onNotice: @Sendable (ControlNoticeMessage) -> Void
        let onClose: @Sendable (ControlError) -> Void

        /// A service that answers; nil if there is none.
        func find() throws(ControlError) -> ControlClient? {
            try find(at: [socket.entrance?.path, socket.path])
        }

        /// The service that has the state, if it is not the one that was started; nil if that has
        /// it, or has it from now on.
        func find(insteadOf client: ControlClient) throws(ControlError) -> ControlClient? {
            switch client.greet() {
            case .success(let reply):
                return reply.heldBy == nil ? nil : try find(at: [socket.entrance?.path])
            case .failure(let error):
                // It takes over, and has closed the connections of before.
                return error.code == .unavailable ? try find() : nil
            }
        }

        func find(at paths: [String?]) throws(ControlError) -> ControlClient? {
            for case let path? in paths {
                for _ in 0..<Self.mostEndings {
                    guard case .success(let descriptor) = try UnixSocket.connect(to: path) else {
                        break
                    }
                    let caller = Caller(onClose)
                    let client = ControlClient(
                        descriptor: descriptor, name: name, onNotice: onNotice,
                        onClose: caller.close)
                    // Any other error is the service's own answer to all that follows.
                    if greets, case .failure(let error) = client.greet(), error.code == .unavailable
                    {
                        continue
                    }
                    caller.welcome()
                    return client
                }
            }
            return nil
        }
    }

    /// Reports the end of a connection, unless that has ended before it was of use.
    private final class Caller: Sendable {
        private let state = Mutex((isWelcome: false, ending: ControlError?.none))
        private let onClose: @Sendable (ControlError) -> Void

        init(_ onClose: @escaping @Sendable (ControlError) -> Void) { self.onClose = onClose }

        /// It is of use from now on.
        func welcome() {
            let ending = state.withLock { state in
                state.isWelcome = true
                return state.ending
            }
            if let ending { onClose(ending) }
        }

        @Sendable func close(by error: ControlError) {
            let isWelcome = state.withLock { state in
                state.ending = error
                return state.isWelcome
            }
            if isWelcome { onClose(error) }
        }
    }

    /// Starts a program with the listener as descriptor 3, and no other descriptors of this one.
    private static func start(
        _ program: Program, listener: Int32, log: String
    ) throws(ControlError) {
        var process = NewProcess(FilePath(program.path), program.arguments)
        process.descriptors = [.null, .null, .log(log), .duplicate(of: listener)]
        process.folder = "/"
        do throws(NewProcess.StartError) {
            let service = try process.start()
            // Otherwise a service that ends before this program does would stay a zombie.
            startThread(named: "service's end") { service.reap() }
        } catch {
            throw ControlError(
                .unavailable, "cannot start the service \(program.path): \(error.cause.reason)")
        }
    }
}
