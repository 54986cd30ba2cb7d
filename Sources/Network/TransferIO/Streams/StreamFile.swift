import Glibc
import UndersongBase
import UndersongTransfers

/// The file that a player has passed for the bytes of a stream, and reads at the same time. Used on
/// one thread.
final class StreamFile {
    enum Outcome: Equatable {
        case written
        /// The bytes that were there already are others.
        case differs
        case failed(Int32)
    }

    private let descriptor: Int32

    /// Takes over a descriptor that can be read and written.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Writes bytes at `offset`; those of `available` are compared instead.
    func put(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, available: ByteRanges
    ) -> Outcome {
        guard offset <= .max - Int64(bytes.count) else { return .failed(EFBIG) }
        var index = 0
        while index < bytes.count {
            let at = offset + Int64(index)
            let known = min(bytes.count - index, Int(available.end(from: at) - at))
            if known > 0 {
                let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[index..<index + known])
                guard unsafe isSame(piece, at: at) else { return .differs }
                index += known
                continue
            }
            let end = available.next(after: at)?.lowerBound ?? .max
            let count = min(bytes.count - index, Int(clamping: end - at))
            let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
            let code = unsafe writeAll(piece, to: descriptor, at: at)
            guard code == 0 else { return .failed(code) }
            index += count
        }
        return .written
    }

    private func isSame(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        unsafe withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { known in
            var done = 0
            while done < bytes.count {
                let count = unsafe pread(
                    descriptor, known.baseAddress.map { unsafe $0 + done }, bytes.count - done,
                    off_t(offset) + off_t(done))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return unsafe bytes.elementsEqual(known)
        }
    }

}
