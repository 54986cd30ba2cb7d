import CUndersongLinux
import FoundationEssentials
import Glibc
import Synchronization
import UndersongBase
import UndersongControl
import UndersongDemoScreen

/// The socket to which the demo's app connects: it receives the app's messages, and sends it touches.
/// The process that has connected last gets them. It listens as long as the program runs.
final class DemoChannel: Sendable {
    private let listener: Int32
    private let receive: @Sendable (DemoMessage) -> Void
    private let greeting: @Sendable () -> [DemoTouch]
    private let app = Mutex(Connection())

    /// The connection of the app.
    private struct Connection {
        /// Nil while it has none.
        var descriptor: Int32?
        /// Touches for the next process that connects.
        var kept: [DemoTouch] = []

        func send(_ touch: DemoTouch) {
            guard let descriptor, let line = try? JSONEncoder().encode(touch) else { return }
            let bytes = Array(line) + [UInt8(ascii: "\n")]
            _ = unsafe Glibc.send(
                descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }

    /// The most touches that are kept.
    private static let mostKept = 100

    /// Listens at `path`. A process of the app that has connected gets the touches of `greeting`
    /// first; `receive` is called with its messages. Both are called on threads of their own.
    init(
        at path: String, greeting: @escaping @Sendable () -> [DemoTouch],
        _ receive: @escaping @Sendable (DemoMessage) -> Void
    ) throws(ControlError) {
        listener = try UnixSocket.listen(at: path)
        self.greeting = greeting
        self.receive = receive
        startThread(named: "demo") { [self] in accept() }
    }

    /// Sends a touch to the app, which misses it if it does not read. A process that is being
    /// launched gets it once it has connected, if `isKept`.
    func send(_ touch: DemoTouch, isKept: Bool = true) {
        app.withLock { app in
            guard app.descriptor == nil else { return app.send(touch) }
            if isKept, app.kept.count < Self.mostKept { app.kept.append(touch) }
        }
    }

    private func accept() {
        while true {
            let new = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            guard new >= 0 else {
                if [EINTR, ECONNABORTED].contains(errno) { continue }
                return
            }
            let greeting = greeting()
            app.withLock { app in
                app.descriptor = new
                for touch in greeting + app.kept { app.send(touch) }
                app.kept = []
            }
            startThread(named: "demo's app") { [self] in read(from: new) }
        }
    }

    private func read(from descriptor: Int32) {
        var lines = LineBuffer()
        var buffer = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            unsafe buffer.withUnsafeBytes { bytes in
                unsafe lines.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            while let line = lines.next() {
                let message = try? JSONDecoder().decode(DemoMessage.self, from: Data(line))
                if let message { receive(message) }
            }
        }
        app.withLock { app in
            if app.descriptor == descriptor { app.descriptor = nil }
            close(descriptor)
        }
    }
}
