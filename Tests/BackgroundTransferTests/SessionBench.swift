import Glibc
import Synchronization
import TestSupport
import UndersongAppHost
import UndersongControl
import UndersongTransferClient

@testable import UndersongBackgroundTransfer

/// The folders of a user in which `undersong-transferd` runs, and sessions of it.
final class SessionBench: Sendable {
    static let identifier = "net.undersong.test"

    let url: URL
    let recorder = Recorder()
    private let sessions = Mutex<[URLSession]>([])

    /// The folders at `url`, or new ones.
    init(at url: URL? = nil) throws {
        self.url = url ?? URL(filePath: "/tmp/session-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: self.url, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        // A session that is alive starts the process again.
        for session in sessions.withLock(\.self) {
            session.invalidateAndCancel()
            try? waitUntil { session.isInvalid }
        }
        kill()
        try? FileManager.default.removeItem(at: url)
    }

    /// The program that transfers, beside the tests'.
    static let program = path(of: "undersong-transferd")

    static func path(of program: String) -> String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: program).path
    }

    var location: TransferServiceLocation {
        var location = TransferServiceLocation()
        location.runtimeFolder = url.path
        location.stateFolder = url.path + "/state"
        location.program = Self.program
        return location
    }

    /// The folder of the transfers.
    var folder: URL { url.appending(path: "state/default/transfers") }

    /// The names of the files in a folder of the transfers.
    func names(in name: String) -> [String] {
        let path = folder.appending(path: name).path
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func session(
        _ identifier: String = SessionBench.identifier,
        _ body: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = configuration(identifier)
        body(configuration)
        return session(configuration, recorder)
    }

    func configuration(
        _ identifier: String = SessionBench.identifier
    ) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.transferService = location
        return configuration
    }

    /// A session that ends with this object.
    func session(
        _ configuration: URLSessionConfiguration, _ recorder: Recorder,
        host: HostStateBroadcaster = HostStateBroadcaster(),
        board: BackgroundSessionBoard = BackgroundSessionBoard()
    ) -> URLSession {
        let session = URLSession(configuration, recorder, nil, host: host, board: board)
        sessions.withLock { $0.append(session) }
        return session
    }

    /// A connection as that of any program.
    func client() throws -> ControlClient {
        var client: ControlClient?
        let socket = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: url.path
        ).path
        try waitUntil {
            client = try? ControlClient(socket: socket, name: "test")
            return client != nil
        }
        guard let client else { throw Overdue("no process answers") }
        return client
    }

    /// The process that transfers; nil if there is none.
    var process: pid_t? {
        let socket = ControlSocket(
            session: ControlSocket.transfers(of: "default"), runtimeFolder: url.path
        ).path
        guard let client = try? ControlClient(socket: socket, name: "test") else { return nil }
        return try? client.call(Hello(client: "test")).process
    }

    /// Kills the process that transfers, as `kill -9` does, and waits for its end.
    func kill() {
        guard let process else { return }
        Glibc.kill(process, SIGKILL)
        try? waitUntil { Glibc.kill(process, 0) != 0 }
    }

    /// Starts the process that transfers, with further environment variables.
    func startProcess(_ environment: [String: String]) throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        _ = try Child(
            Self.program,
            ["--runtime-folder", url.path, "--state-folder", url.path + "/state"], environment,
            [null, null, null])
    }
}

/// The calls of a delegate, in order.
final class Recorder: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    enum Event: Equatable, Sendable {
        case file(task: Int, [UInt8])
        case answer(task: Int, [UInt8])
        case end(task: Int, code: Int?)
        case resumed(task: Int, offset: Int64)
        case finished
        case invalid(code: Int?)
    }

    let events = Inbox<Event>()
    /// The reported bytes written or sent: task, bytes, total, expected.
    let progress = Inbox<[Int64]>()
    /// Called with the file in `didFinishDownloadingTo`.
    let onFile: @Sendable (URL) -> Void

    init(onFile: @escaping @Sendable (URL) -> Void = { _ in }) { self.onFile = onFile }

    /// The next event that is not a resumption.
    func next() throws -> Event {
        while true {
            let event = try events.next()
            if case .resumed = event { continue }
            return event
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        onFile(location)
        let bytes = (try? Data(contentsOf: location)).map(Array.init) ?? []
        events.put(.file(task: downloadTask.taskIdentifier, bytes))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        events.put(.answer(task: dataTask.taskIdentifier, Array(data)))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        events.put(
            .end(task: task.taskIdentifier, code: (error as? URLError).map(\.errorCode)))
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        progress.put([
            Int64(downloadTask.taskIdentifier), bytesWritten, totalBytesWritten,
            totalBytesExpectedToWrite,
        ])
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        progress.put([
            Int64(task.taskIdentifier), bytesSent, totalBytesSent, totalBytesExpectedToSend,
        ])
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        events.put(.resumed(task: downloadTask.taskIdentifier, offset: fileOffset))
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        events.put(.finished)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        events.put(.invalid(code: (error as? URLError).map(\.errorCode)))
    }
}

/// Bytes that differ from place to place.
func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 32)
    }
}

extension URLSession {
    /// True once it can be used no more.
    var isInvalid: Bool {
        switch core {
        case .background(let core): core.state.withLock(\.isInvalid)
        case .loading: delegate == nil
        }
    }

    /// All tasks, without the main actor.
    func allTasksNow() throws -> [URLSessionTask] {
        let tasks = Inbox<[URLSessionTask]>()
        getAllTasks { tasks.put($0) }
        return try tasks.next()
    }
}
