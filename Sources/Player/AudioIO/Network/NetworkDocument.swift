import Glibc
import Synchronization
package import UndersongBase
package import UndersongPlayback

/// A text on the network, such as a playlist, which is fetched as a whole before it is read.
package struct NetworkDocument {
    /// The most bytes that a document may have.
    private static let limit: Int64 = 16 << 20

    /// The media type, in lower case; nil if the server does not name it.
    package let type: String?
    /// Its first bytes.
    package let head: [UInt8]
    private let stream: any NetworkStream

    /// Fetches `url`, which may take `seconds`. Nil if its type is not wanted.
    /// - Throws: An error if it cannot be fetched, takes too long, or is too long.
    package init?(
        _ url: FilePath, from streams: any NetworkStreams, within seconds: Double,
        clock: any HostClock, isWanted: (_ type: String?) -> Bool
    ) throws(MediaError) {
        let waiter = PipelineSignals.Waiter()
        let overdue = Overdue()
        let timer = clock.wake(after: seconds, leeway: 50_000_000) {
            overdue.set()
            waiter.wake()
        }
        defer { timer.cancel() }
        let access = NetworkAccess(
            streams, waiter: waiter, isInterrupted: { overdue.isSet }, setWaiting: { _ in },
            isForText: true)
        func reason(_ error: MediaError) -> MediaError {
            guard overdue.isSet else { return error }
            return MediaError(
                .readFailed, operation: "read \(url)", reason: "The server does not answer")
        }
        let reader: NetworkReader
        do throws(MediaError) {
            reader = try NetworkReader(url, access)
        } catch {
            throw reason(error)
        }
        stream = reader.stream
        type = stream.status.type
        guard isWanted(type) else { return nil }
        guard reader.wait(for: Self.limit, from: 0) else {
            throw reason(
                reader.failure
                    ?? MediaError(
                        .readFailed, operation: "read \(url)", reason: "It was interrupted"))
        }
        let size = stream.status.total ?? .max
        guard size < Self.limit else {
            throw MediaError(
                .badPlaylist, operation: "read \(url)", reason: "It is longer than a playlist")
        }
        let descriptor = stream.descriptor
        head = unsafe [UInt8](unsafeUninitializedCapacity: Int(min(size, 65536))) {
            bytes, count in
            count = unsafe max(0, pread(descriptor, bytes.baseAddress, bytes.count, 0))
        }
    }

    /// A descriptor of a file with its bytes, to be read from its start and closed.
    package func file() -> Int32 {
        lseek(stream.descriptor, 0, Int32(SEEK_SET))
        return fcntl(stream.descriptor, F_DUPFD_CLOEXEC, 3)
    }

    private final class Overdue: Sendable {
        private let flag = Atomic<Bool>(false)

        var isSet: Bool { flag.load(ordering: .acquiring) }

        func set() { flag.store(true, ordering: .releasing) }
    }
}
