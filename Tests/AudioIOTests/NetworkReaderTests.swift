import Glibc
import Synchronization
import Testing
import UndersongBase
import UndersongPlayback
import UndersongTransferClient

@testable import UndersongAudioIO

@Suite struct `A reader from the network` {
    /// The requests for a stream of `size` bytes, of which the first `available` arrive, by a reader
    /// that reads to `end`.
    private func requests(size: Int64, available: Int64, upTo end: Int64) throws -> [Int64] {
        let streams = try Streams(size: size, available: available)
        let reader = try NetworkReader("http://example.org/a.mp3", NetworkAccess(streams))
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 1)
        defer { bytes.deallocate() }
        for offset in stride(from: 0, to: end, by: 4096) {
            #expect(reader.read(into: bytes, count: 4096, at: Int(offset)) == 4096)
        }
        return streams.requests
    }

    @Test func `A network reader requests bytes that are all there once, not while they are read`()
        throws
    {
        #expect(try requests(size: 4 << 20, available: 4 << 20, upTo: 4 << 20) == [0])
    }

    @Test func `A network reader asks for more every 256 KiB until all is there`() throws {
        let requests = try requests(size: 64 << 20, available: 8 << 20, upTo: 1 << 20)
        #expect(requests == [0, 256 << 10, 512 << 10, 768 << 10])
    }

    /// Answers the first request with what is there, and records all of them.
    private final class Streams: NetworkStreams {
        private let file: Int32
        private let size: Int64
        private let available: Int64
        private let asked = Mutex<[Int64]>([])

        init(size: Int64, available: Int64) throws {
            var path = Array("/tmp/undersong-stream.XXXXXX".utf8CString)
            file = unsafe mkstemp(&path)
            unsafe unlink(path)
            try #require(file >= 0 && ftruncate(file, off_t(size)) == 0)
            (self.size, self.available) = (size, available)
        }

        var requests: [Int64] { asked.withLock { $0 } }

        func stream(at url: String, isForText: Bool) throws(MediaError) -> any NetworkStream {
            let box = Box()
            let stream = TransferStream(
                url: url, descriptor: file,
                request: { [self] from, _ in
                    asked.withLock { $0.append(from) }
                    box.stream?.update {
                        $0.hasAnswered = true
                        $0.total = size
                        $0.available = ByteRanges([0..<available])
                    }
                },
                whenClosed: {})
            box.stream = stream
            return stream
        }

        func openStream(at url: String) -> (any NetworkStream)? { nil }

        func observe(_ observer: @escaping @Sendable (any NetworkStream) -> Bool) {}
    }

    private final class Box: @unchecked Sendable {
        weak var stream: TransferStream?
    }
}
