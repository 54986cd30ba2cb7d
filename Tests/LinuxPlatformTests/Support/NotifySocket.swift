import Foundation

/// The socket on which systemd receives notifications; makes this process the service.
final class NotifySocket: Sendable {
    private let path: String
    private let descriptor: Int32

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "undersong-\(UUID())").path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard bindSocket(descriptor, to: path) else { throw POSIXError(.EADDRNOTAVAIL) }
        setenv("NOTIFY_SOCKET", path, 1)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Waits for the next message.
    func next() -> String { receive(0) ?? "" }

    /// A message that has already arrived, or nil.
    func poll() -> String? { receive(Int32(MSG_DONTWAIT)) }

    private func receive(_ flags: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = recv(descriptor, &bytes, bytes.count, flags)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
