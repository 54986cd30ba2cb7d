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
    private let whenConnected: @Sendable (DemoChannel) -> Void
    /// The connection of the app; nil while it has none.
    private let connection = Mutex<Int32?>(nil)

    /// Listens at `path`. `whenConnected` is called when a process of the app has connected, and
    /// `receive` with its messages, both on threads of their own.
    init(
        at path: String, whenConnected: @escaping @Sendable (DemoChannel) -> Void,
        _ receive: @escaping @Sendable (DemoMessage) -> Void
    ) throws(ControlError) {
        listener = try UnixSocket.listen(at: path)
        self.whenConnected = whenConnected
        self.receive = receive
        startThread(named: "demo") { [self] in accept() }
    }

    /// Sends a touch to the app. An app that is gone, or does not read, misses it.
    func send(_ touch: DemoTouch) {
        guard let line = try? JSONEncoder().encode(touch) else { return }
        let bytes = Array(line) + [UInt8(ascii: "\n")]
        connection.withLock { connection in
            guard let connection else { return }
            _ = unsafe Glibc.send(
                connection, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
    }

    private func accept() {
        while true {
            let new = accept4(listener, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            guard new >= 0 else {
                if [EINTR, ECONNABORTED].contains(errno) { continue }
                return
            }
            connection.withLock { $0 = new }
            whenConnected(self)
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
        connection.withLock { connection in
            if connection == descriptor { connection = nil }
            close(descriptor)
        }
    }
}
