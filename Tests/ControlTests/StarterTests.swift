import Foundation
import TestSupport
import Testing
import UndersongBase

@testable import UndersongControl

@Suite(.blockingThreads) struct `A service started by a client` {
    @Test func `A service started by a client is started once, by the first of many clients`()
        throws
    {
        let folder = try TemporaryFolder()
        let program = try service(in: folder)
        let clients = Mailbox<Result<ControlClient, any Error>>()

        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            clients.put(
                Result {
                    try ServiceStarter.connect(
                        to: ControlSocket(session: "x", runtimeFolder: folder.path),
                        program: program, name: "test")
                })
        }
        let connected = try (0..<8).compactMap { _ in try clients.next()?.get() }
        let processes = try connected.map { try $0.call(Hello(client: "again")).process }

        #expect(processes.count == 8)
        #expect(Set(processes).count == 1)
        #expect(try text(of: folder.path + "/starts") == "started\n")
        for client in connected { client.close() }
    }

    @Test func `A started service inherits nothing from the client but the socket`() throws {
        let folder = try TemporaryFolder()
        let program = try service(in: folder)
        // As under nohup, and with a signal blocked.
        signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, SIG_DFL) }
        var (held, before) = (sigset_t(), sigset_t())
        sigaddset(&held, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &held, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let client = try ServiceStarter.connect(
            to: ControlSocket(session: "x", runtimeFolder: folder.path), program: program,
            name: "test")

        #expect(
            try client.call(Hello(client: "again")).version
                == "leads its session: True, fds: [0, 1, 2, 3], in: /, masked: [], ignored: []")
        client.close()
    }

    @Test func `The start of a service is left to a client that is about to start it`() throws {
        let folder = try TemporaryFolder()
        let (path, outcomes) = (folder.path, Mailbox<String>())
        var lock: SessionLock? = try SessionLock(ControlSocket(session: "x", runtimeFolder: path))
        Thread.detachNewThread {
            let outcome = Result {
                try ServiceStarter.connect(
                    to: ControlSocket(session: "x", runtimeFolder: path),
                    program: ServiceStarter.Program(path: "/nonexistent", arguments: []),
                    name: "test")
            }
            outcomes.put(outcome.failure.map { "\($0)" } ?? "connected")
        }
        // An arrow marks processes that wait for a lock.
        try waitUntil {
            try outcomes.count > 0 || text(of: "/proc/locks").contains("-> FLOCK")
        }

        let listener = try #require(try lock?.listen())
        lock = nil
        // It waits for the service's greeting.
        let server = ControlServer(listener: listener, handler: TestHandler(), clock: SystemClock())
        server.start()
        defer { server.stop(within: 0) }

        #expect(outcomes.next() == "connected")
    }

    @Test func `A service started by a client writes to the log`() throws {
        let folder = try TemporaryFolder()
        let program = try service(in: folder)
        let client = try ServiceStarter.connect(
            to: ControlSocket(session: "x", runtimeFolder: folder.path), program: program,
            name: "test")

        _ = try client.call(Hello(client: "again"))

        #expect(try log(in: folder).hasSuffix("I am here\n"))
        client.close()
    }

    @Test func `A service started by a client replaces a dead one`() throws {
        let folder = try TemporaryFolder()
        close(try ControlSocket(session: "x", runtimeFolder: folder.path).listen())

        let client = try ServiceStarter.connect(
            to: ControlSocket(session: "x", runtimeFolder: folder.path),
            program: try service(in: folder),
            name: "test")

        #expect(try client.call(Hello(client: "again")).session == "python")
        client.close()
    }

    @Test func `A service is not started if one is running`() throws {
        let service = try TestService()
        defer { service.stop() }

        let client = try ServiceStarter.connect(
            to: ControlSocket(session: "default", runtimeFolder: service.folder.path),
            program: ServiceStarter.Program(path: "/nonexistent", arguments: []), name: "test")

        #expect(try client.call(Echo("x")).text == "x")
    }

    @Test func `A service that does not exist leaves nothing but the reason`() throws {
        let folder = try TemporaryFolder()
        let program = folder.path + "/no-program"

        let error = #expect(throws: ControlError.self) {
            try ServiceStarter.connect(
                to: ControlSocket(session: "x", runtimeFolder: folder.path),
                program: ServiceStarter.Program(path: program, arguments: []), name: "test")
        }

        #expect(
            error?.message
                == "cannot start the service \(program): No such file or directory")
        #expect(
            access(ControlSocket(session: "x", runtimeFolder: folder.path).path, F_OK) != 0)
    }

    @Test func `A started service fails the client's calls if it dies at once`() throws {
        let folder = try TemporaryFolder()
        let client = try ServiceStarter.connect(
            to: ControlSocket(session: "x", runtimeFolder: folder.path),
            program: ServiceStarter.Program(
                path: "/bin/sh", arguments: ["-c", "echo out of order >&2"]), name: "test")

        let error = #expect(throws: ControlError.self) { try client.call(Echo("x")) }

        #expect(error?.code == .unavailable)
        #expect(try log(in: folder) == "out of order\n")
    }

    @Test func `A service to start is looked for next to the program, then in the path`() throws {
        let folder = try TemporaryFolder()
        let program = try service(in: folder)

        #expect(ServiceStarter.program(named: "none", searchPath: folder.path) == nil)
        #expect(
            ServiceStarter.program(named: "service", searchPath: "/none:\(folder.path)")
                == program.path)
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let name = String(own.split(separator: "/").last ?? "")
        #expect(ServiceStarter.program(named: name, searchPath: nil) == own)
    }

    /// A service that records each start and describes itself. Ends when all its clients have gone.
    private func service(in folder: TemporaryFolder) throws -> ServiceStarter.Program {
        let script = """
            #!/usr/bin/python3 -IS
            import json, os, signal, socket, sys, threading
            fds = sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1]
            with open("\(folder.path)/starts", "a") as starts: starts.write("started\\n")
            print("I am here", file=sys.stderr, flush=True)
            # Python itself ignores SIGPIPE and SIGXFSZ.
            ignored = [s.name for s in signal.Signals if s not in (13, 25)
                       and signal.getsignal(s) is signal.SIG_IGN]
            state = (f"leads its session: {os.getsid(0) == os.getpid()}, fds: {fds}, "
                f"in: {os.getcwd()}, masked: {list(signal.pthread_sigmask(0, []))}, "
                f"ignored: {ignored}")
            listener = socket.socket(fileno=3)
            def serve(connection):
                for line in connection.makefile():
                    reply = {"protocol": 1, "version": state, "session": "python",
                             "process": os.getpid()}
                    answer = '{"jsonrpc":"2.0","id":%d,"result":%s}\\n'
                    connection.sendall(
                        (answer % (json.loads(line)["id"], json.dumps(reply))).encode())
            threads = []
            listener.settimeout(20)
            while not threads or any(t.is_alive() for t in threads):
                try: connection = listener.accept()[0]
                except TimeoutError:
                    if not threads: break
                    continue
                threads.append(threading.Thread(target=serve, args=(connection,), daemon=True))
                threads[-1].start()
                listener.settimeout(1)
            """
        let path = folder.path + "/service"
        try makeExecutable(script, at: path)
        return ServiceStarter.Program(path: path, arguments: [])
    }

    private func log(in folder: TemporaryFolder) throws -> String {
        try text(of: ControlSocket(session: "x", runtimeFolder: folder.path).logPath)
    }

    private func text(of path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }
}
