import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongLibrary
import UndersongPlayback

extension EndToEnd {
    @Suite struct `A full disk` {
        /// Mounting a small disk needs root.
        @Test(.enabled(if: geteuid() == 0))
        func `A full disk makes edits fail with the reason while sound continues`() throws {
            let stage = try DiskStage()
            let client = stage.client
            _ = try client.call(Play(files: Files([stage.song, stage.song])))
            _ = try client.call(AddToQueue(Files([stage.song])))

            // The library's file is there by now.
            _ = try client.call(GetLibrary())
            try stage.fill()
            let refusal = stage.editUntilRefused()
            let before = try client.call(ListQueue()).items.map(\.id)
            let trouble = try client.call(GetWhy()).stateTrouble
            #expect(throws: ControlError.self) { _ = try client.call(ClearQueue()) }
            let during = try client.call(ListQueue()).items.map(\.id)
            try stage.makeRoom()
            let after = try client.call(RemoveFromQueue([before[1]])).queue.items.map(\.id)
            let troubleAfter = try client.call(GetWhy()).stateTrouble
            try stage.recording.wait(6)
            stage.restart()
            let left = try stage.daemon.client().call(ListQueue()).items.map(\.id)

            #expect(refusal?.code == .notPossible)
            #expect(refusal?.message.hasPrefix("cannot add to the queue: ") == true)
            #expect(trouble?.contains(stage.daemon.state) == true)
            #expect(before == during && after == before.filter { $0 != before[1] })
            #expect(troubleAfter == nil && left == after)
            #expect(stage.codes == ["state-not-kept", "state-kept"])
            let heard = sounds(in: try stage.recording.finish())
            let isWhole = heard.first.map { $0.starts(with: stage.expected) } ?? false
            #expect(isWhole, "\(heard.map(\.count)) of \(stage.expected.count)")
        }
    }
}

/// A service whose state is on a disk of a megabyte.
private final class DiskStage {
    private let music: Music
    private let server: SoundServer
    private let disk: String
    private let errors = ErrorCodes()
    let song: String
    let expected: [Frame]
    let daemon: Daemon
    let recording: Recording
    private(set) var client: ControlClient

    init() throws {
        music = try Music()
        song = try music.encode(Music.noise(seconds: 6), to: "song.mp3")
        expected = try Music.decoded([song])
        server = try SoundServer()
        disk = server.folder.path + "/state"
        try FileManager.default.createDirectory(
            atPath: disk, withIntermediateDirectories: false)
        guard mount("tmpfs", disk, "tmpfs", 0, "size=1m") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
        recording = try Recording(server)
        daemon = try Daemon(in: server.folder.path, environment: server.environment)
        client = try daemon.client(onNotice: errors.take)
        _ = try client.call(Attach(state: .active, source: "option"))
        _ = try client.call(Subscribe(interval: nil, kinds: ["error"]))
    }

    deinit {
        daemon.end(by: SIGKILL)
        umount2(disk, Int32(MNT_DETACH))
    }

    /// The codes of the errors reported.
    var codes: [String] { errors.all }

    /// Fills the disk.
    func fill() throws {
        let file = open(disk + "/ballast", O_CREAT | O_WRONLY, 0o600)
        defer { close(file) }
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: 1, count: size)
            while write(file, bytes, size) > 0 {}
        }
        #expect(errno == ENOSPC)
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: disk + "/ballast") }

    /// Edits until one is refused. The store's file may have some room left.
    func editUntilRefused() -> ControlError? {
        for _ in 0..<1000 {
            do throws(ControlError) {
                _ = try client.call(AddToQueue(Files([song, song, song])))
            } catch {
                return error
            }
        }
        return nil
    }

    func restart() {
        daemon.end(by: SIGKILL)
        try? daemon.start()
    }
}

/// Records the codes of the error events sent to a client.
private final class ErrorCodes: Sendable {
    private let codes = Mutex<[String]>([])

    var all: [String] { codes.withLock { $0 } }

    @Sendable func take(_ notice: ControlNoticeMessage) {
        guard let event = try? notice.decode(EventNotice.self),
            case .error(let failure) = event.data.kind
        else { return }
        codes.withLock { $0.append(failure.code) }
    }
}
