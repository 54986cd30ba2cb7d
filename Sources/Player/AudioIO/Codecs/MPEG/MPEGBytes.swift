import Glibc
import UndersongPlayback

/// The bytes of a file for libmpg123, without those in `hidden`. Owned by the decode thread.
final class MPEGBytes {
    private let file: MediaFile
    private let hidden: Range<Int>

    init(_ file: MediaFile, hidden: Range<Int>) {
        self.file = file
        self.hidden = hidden
    }

    /// Reads as `MediaFile` does.
    func read(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        guard !hidden.isEmpty else { return unsafe file.read(into: target, count: count) }
        let place = Int(file.place)
        if hidden.contains(place) { _ = file.seek(to: off_t(hidden.upperBound), whence: SEEK_SET) }
        let most = place < hidden.lowerBound ? hidden.lowerBound - place : count
        return unsafe file.read(into: target, count: min(count, most))
    }

    /// Moves as `MediaFile` does.
    func seek(to target: off_t, whence: Int32) -> off_t {
        guard !hidden.isEmpty else { return file.seek(to: target, whence: whence) }
        let origin =
            switch whence {
            case SEEK_SET: 0
            case SEEK_CUR: visibleOffset(of: Int(file.place))
            default: visibleOffset(of: file.size ?? 0)
            }
        let offset = fileOffset(of: origin + Int(target))
        let result = file.seek(to: off_t(offset), whence: SEEK_SET)
        return result < 0 ? result : off_t(visibleOffset(of: Int(result)))
    }

    /// The offset in the file of the byte that is at `offset` without the hidden ones.
    func fileOffset(of offset: Int) -> Int {
        offset < hidden.lowerBound ? offset : offset + hidden.count
    }

    /// The offset, without the hidden bytes, of the byte at `offset` of the file.
    func visibleOffset(of offset: Int) -> Int {
        offset < hidden.upperBound ? min(offset, hidden.lowerBound) : offset - hidden.count
    }
}
