import Foundation
import Glibc
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongPlayback

extension EndToEnd {
    /// The queue and the settings on the disk, and the services that want them.
    @Suite struct `The state of a session` {
        @Test(arguments: [false, true])
        func `A state is what it was after a kill, whatever is left of the runtime folder`(
            wipes: Bool
        ) throws {
            let desk = try StateDesk()
            let before = try desk.fill()

            for _ in 0..<5 {
                let holder = ObservedProcess(try desk.holder)
                kill(holder.id, SIGKILL)
                // Until then its socket accepts connections.
                try holder.waitUntilEnded()
                if wipes { try desk.wipeRuntimeFolder() }

                #expect(try desk.look() == before)
            }
        }

        @Test func `A state is taken over by the second service when the first one is killed`()
            throws
        {
            let desk = try StateDesk()
            let before = try desk.fill()
            let first = try desk.holder
            let other = try desk.makeFolder("other")
            let second = try Daemon(
                in: other, environment: ["XDG_STATE_HOME": desk.environment["XDG_STATE_HOME"] ?? ""]
            )
            let meanwhile = try second.client().call(GetStatus())
            let refusal = #expect(throws: ControlError.self) {
                _ = try second.client().call(ClearQueue())
            }

            kill(first, SIGKILL)
            try waitUntil { (try? second.client().call(GetStatus()).heldBy) == .some(nil) }

            #expect(meanwhile.heldBy == first && meanwhile.count == 3)
            #expect(
                refusal?.message == "another service (process \(first)) has the queue of the "
                    + "session default; nothing was changed")
            #expect(try desk.look() == before)
            #expect(try desk.holder != first)
            second.end(by: SIGTERM)
        }

        @Test func `A state that another process has is only read, and every verb says who has it`()
            throws
        {
            let desk = try StateDesk()
            let before = try desk.fill()
            try desk.undersong("shutdown")
            let lock = try desk.lock()

            let seen = try desk.look()
            let results = try [
                ["status"], ["queue"], ["volume"], ["play"], ["volume", "70"], ["queue", "clear"],
                ["toggle"], ["doctor"],
            ].map { try desk.run($0) }
            close(lock)
            try waitUntil { try desk.status().heldBy == nil }

            #expect(seen == before)
            let who = "another service (process \(getpid()))"
            for result in results {
                let text = result.text + result.errorText
                #expect(text.contains(who), "\(text)")
            }
            #expect(try results.map { try $0.wait() } == [0, 0, 0, 1, 1, 1, 1, 1])
            #expect(results[2].text == "volume 40\n")
            #expect(try desk.look() == before)
            #expect(try desk.undersong("volume", "70") == "volume 70\n")
        }

        @Test
        func `A state is found from every runtime folder, and when the service's own is gone`()
            throws
        {
            let desk = try StateDesk()
            let before = try desk.fill()
            let holder = try desk.holder
            let other = try desk.makeFolder("other")

            let seen = try desk.status(["XDG_RUNTIME_DIR": other])
            try desk.wipeRuntimeFolder()
            let sessions = try desk.undersong("sessions")
            let stopped = try desk.undersong("stop")
            let again = try ControlClient(socket: desk.socket, name: "test")

            #expect(seen.count == 3 && seen.settings.volume == 40)
            #expect(sessions.hasPrefix("default  ⏸ 2/3"))
            #expect(stopped.hasPrefix("⏸ 2/3"))
            #expect(try again.call(Hello(client: "test")).process == holder)
            #expect(try desk.holder == holder)
            #expect(try desk.look().queue == before.queue)
        }

        @Test(arguments: [["next"], ["previous"], ["toggle"], ["resume"], ["seek", "+1"]])
        func `A state is restored by a command when no service runs`(command: [String]) throws {
            let desk = try StateDesk()
            _ = try desk.fill()
            try desk.undersong("shutdown")

            let program = try desk.run(command)
            let status = try desk.status()

            // Sound in the background is not declared.
            let wantsSound = ["toggle", "resume"].contains(command[0])
            #expect(try program.wait() == (wantsSound ? 77 : 0), "\(program.errorText)")
            #expect(status.wantsPlayback == wantsSound && status.count == 3)
            let number = ["next": 3, "previous": 1][command[0]] ?? 2
            #expect(status.number == number)
            if command[0] == "seek" { #expect(status.position.seconds == 13) }
        }

        @Test func `Shutdown ends the program that downloads`() throws {
            let desk = try StateDesk()
            let download = try desk.run(["download", "http://127.0.0.1:9/a.mp3", "--detach"])
            let name = ControlSocket.transfers(of: "default")
            let socket = ControlSocket(session: name, runtimeFolder: desk.runtimeFolder).path
            let client = try ControlClient(socket: socket, name: "test")
            let process = try client.call(Hello(client: "test")).process
            client.close()

            try desk.undersong("shutdown")

            #expect(try download.wait() == 0, "\(download.errorText)")
            #expect(throws: ControlError.self) { try ControlClient(socket: socket, name: "test") }
            try waitUntil { kill(process, 0) != 0 }
        }

        /// Mounting a small disk needs root.
        @Test(.enabled(if: geteuid() == 0))
        func `A state is said to have no room on a full disk`() throws {
            let desk = try StateDesk()
            let disk = try desk.makeFolder("disk")
            #expect(mount("tmpfs", disk, "tmpfs", 0, "size=4m") == 0)
            defer { umount2(disk, Int32(MNT_DETACH)) }
            let good = try desk.run(["doctor"], ["XDG_STATE_HOME": disk])
            _ = try good.wait()
            let file = open(disk + "/ballast", O_CREAT | O_WRONLY, 0o600)
            let bytes = [UInt8](repeating: 1, count: 4096)
            while write(file, bytes, bytes.count) > 0 {}
            close(file)

            let full = try desk.run(["doctor"], ["XDG_STATE_HOME": disk])

            #expect(try full.wait() == 1)
            #expect(good.text.contains("ok     XDG_STATE_HOME: \(disk)\n"), "\(good.text)")
            #expect(
                full.text.contains("WRONG  XDG_STATE_HOME: \(disk) has no room"), "\(full.text)")
        }
    }
}

/// A user whose service is started by the programs.
private final class StateDesk {
    /// The state that must not be lost.
    struct Contents: Equatable {
        var queue: [Int]
        var item: Int?
        var position: Double
        var settings: Settings
    }

    private let folder: RuntimeFolder

    init() throws { folder = try RuntimeFolder() }

    deinit { if let process = try? holder { kill(process, SIGKILL) } }

    var environment: [String: String] { folder.environment }
    var runtimeFolder: String { folder.path }
    var socket: String { ControlSocket(session: "default", runtimeFolder: folder.path).path }
    private var lockPath: String { folder.path + "/state/undersong/default/lock" }

    /// The process that has the state.
    var holder: pid_t {
        get throws {
            let text = try String(contentsOfFile: lockPath, encoding: .utf8)
            let process = try #require(pid_t(text.dropLast()))
            return try #require(process == getpid() ? nil : process)
        }
    }

    /// Makes a queue of three items at 12 s of the second, at volume 40.
    func fill() throws -> Contents {
        try undersong(["queue", "add"] + Desktop.songs)
        for words in [
            ["queue", "jump", "2"], ["seek", "12"], ["volume", "40"], ["repeat", "all"],
        ] { try undersong(words) }
        return try look()
    }

    func look() throws -> Contents {
        let text = try undersong("queue", "list", "--json")
        let list = try JSONDecoder().decode(ChangedQueue.self, from: Data(text.utf8)).queue
        let status = try status()
        return Contents(
            queue: list.items.map(\.id), item: status.item?.id,
            position: status.position.seconds, settings: status.settings)
    }

    func status(_ environment: [String: String] = [:]) throws -> PlayerStatus {
        let program = try run(["status", "--json"], environment)
        #expect(try program.wait() == 0, "\(program.errorText)")
        return try JSONDecoder().decode(PlayerStatus.self, from: program.data)
    }

    /// Runs the program to its end, successfully, and returns its output.
    @discardableResult
    func undersong(_ words: String...) throws -> String { try undersong(words) }

    @discardableResult
    func undersong(_ words: [String]) throws -> String {
        let program = try run(words)
        #expect(try program.wait() == 0, "\(words): \(program.errorText)")
        return program.text
    }

    /// Runs the program to its end.
    func run(_ words: [String], _ environment: [String: String] = [:]) throws -> Program {
        let program = try Program(
            Program.undersong, words, environment: self.environment.merging(environment) { $1 })
        _ = try program.wait()
        return program
    }

    func makeFolder(_ name: String) throws -> String {
        let path = folder.path + "/" + name
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        return path
    }

    func wipeRuntimeFolder() throws {
        try FileManager.default.removeItem(atPath: folder.path + "/undersong")
    }

    /// Takes the state for this process, as another service would that cannot be spoken to.
    func lock() throws -> Int32 {
        let file = open(lockPath, O_RDWR | O_CLOEXEC)
        try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        let text = "\(getpid())\n"
        ftruncate(file, 0)
        pwrite(file, text, text.utf8.count, 0)
        return file
    }
}
