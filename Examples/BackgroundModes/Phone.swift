import Foundation
import Glibc
import UndersongDemoScreen

/// The phone on which the app runs: `undersong demo`, which shows its screen and its console, and is
/// touched. Without it, the console is the standard output.
@MainActor
final class Phone {
    /// The longest line that the phone may send, in bytes.
    private static let lineLimit = 65536

    /// Called for each touch.
    var onTouch: (DemoTouch) -> Void = { _ in }

    /// The path of the phone's socket; nil without a phone.
    private let path: String?
    private var link: Link?
    private var outbox = Outbox()
    private var received: [UInt8] = []

    /// The connection.
    private struct Link {
        let descriptor: Int32
        let reading: any DispatchSourceRead
        /// Waits until the phone can receive more; nil if it can.
        var writing: (any DispatchSourceWrite)?
    }

    /// Makes a phone that is reached by the socket at `path`.
    init(at path: String?) { self.path = path }

    /// Shows a screen.
    func show(_ screen: DemoScreen) {
        guard link != nil, let line = Self.line(.screen(screen)) else { return }
        outbox.screen = line
        send()
    }

    /// Writes a line to the console.
    func print(_ line: String, _ tab: DemoTab? = nil) {
        guard path != nil else { return FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
        guard link != nil, let line = Self.line(.console(line, tab)) else { return }
        outbox.add(line)
        send()
    }

    private static func line(_ message: DemoMessage) -> [UInt8]? {
        (try? JSONEncoder().encode(message)).map { Array($0) + [UInt8(ascii: "\n")] }
    }

    // MARK: The connection

    /// True while there is a connection.
    var isConnected: Bool { link != nil }

    /// Connects, and returns true, unless there is a connection. A phone that is not there, or goes away,
    /// is not an error: the app runs on without it.
    func connect() -> Bool {
        guard link == nil, let path, let descriptor = Self.connect(to: path) else { return false }
        let reading = Self.owned(
            DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main), descriptor)
        reading.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.receive() } }
        link = Link(descriptor: descriptor, reading: reading)
        reading.activate()
        return true
    }

    private func disconnect() {
        link?.writing?.cancel()
        link?.reading.cancel()
        link = nil
        outbox = Outbox()
        received = []
    }

    /// Has the source close its descriptor once it is cancelled.
    private static func owned<Source: DispatchSourceProtocol>(
        _ source: Source, _ descriptor: Int32
    ) -> Source {
        source.setCancelHandler { close(descriptor) }
        return source
    }

    private static func connect(to path: String) -> Int32? {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(kind), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = bytes.count < MemoryLayout.size(ofValue: address.sun_path)
        if fits { withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) } }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, size)
            }
        }
        guard fits, status == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    // MARK: Sending and receiving

    private func send() {
        while let descriptor = link?.descriptor, link?.writing == nil, let bytes = outbox.next {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 {
                outbox.remove(count)
            } else if errno == EAGAIN {
                waitForRoom(descriptor)
            } else if errno != EINTR {
                disconnect()
            }
        }
    }

    private func waitForRoom(_ descriptor: Int32) {
        // A source has to be cancelled before its descriptor is closed, so this one has its own.
        let copy = dup(descriptor)
        guard copy >= 0 else { return disconnect() }
        let writing = Self.owned(
            DispatchSource.makeWriteSource(fileDescriptor: copy, queue: .main), copy)
        writing.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                self?.link?.writing?.cancel()
                self?.link?.writing = nil
                self?.send()
            }
        }
        link?.writing = writing
        writing.activate()
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while let descriptor = link?.descriptor {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer.prefix(count)
                handleLines()
            } else if count < 0, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                disconnect()
            }
        }
    }

    private func handleLines() {
        while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(received[..<end])
            received.removeSubrange(...end)
            // A touch that this app does not know is not for it.
            if let touch = try? JSONDecoder().decode(DemoTouch.self, from: line) { onTouch(touch) }
        }
        if received.count > Self.lineLimit { disconnect() }
    }
}

/// The lines that a slow phone has not received. Of the screens, only the newest waits.
struct Outbox {
    /// The maximum number of lines of the console that wait: the oldest are dropped.
    static let limit = 10_000

    /// The newest screen.
    var screen: [UInt8]?
    private var lines: [[UInt8]] = []
    /// The rest of what is being sent.
    private var rest: [UInt8] = []

    /// Adds a line of the console.
    mutating func add(_ line: [UInt8]) {
        if lines.count == Self.limit { lines.removeFirst() }
        lines.append(line)
    }

    /// The bytes to send next; nil if there are none.
    var next: [UInt8]? {
        mutating get {
            if rest.isEmpty {
                rest = screen ?? (lines.isEmpty ? [] : lines.removeFirst())
                screen = nil
            }
            return rest.isEmpty ? nil : rest
        }
    }

    /// Removes bytes of `next` that were sent.
    mutating func remove(_ count: Int) { rest.removeFirst(count) }
}
