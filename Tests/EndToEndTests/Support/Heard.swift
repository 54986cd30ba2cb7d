import Foundation

/// The contents of a recording: the pieces of known sources that were heard, in order.
struct Heard {
    /// An uninterrupted part of one source.
    struct Piece: Equatable, CustomStringConvertible {
        /// The index of the source, and its first frame in the piece.
        var source: Int
        var start: Int
        var count: Int
        /// The number of silent frames directly before it.
        var silence: Int
        /// The frame of the recording at which it starts.
        var position: Int

        /// The source's first frame after the piece.
        var end: Int { start + count }

        var description: String { "[\(silence)] \(source): \(start)..<\(end)" }
    }

    /// Two of this many frames are indexed: shorter pieces are not found.
    private static let stride = 32

    private(set) var pieces: [Piece] = []
    /// The number of frames that are neither silent nor from a source.
    private(set) var unmatchedFrames = 0

    /// Splits `recording` into pieces of `sources`, which must not resemble each other: noise.
    init(_ recording: [Frame], of sources: [[Frame]]) {
        let index = Self.index(sources)
        recording.withUnsafeBufferPointer { recording in
            var position = 0
            while position < recording.count {
                let zeros = recording.zeros(from: position)
                if zeros > 0 {
                    position += zeros
                } else if let piece = piece(at: position, of: recording, sources, index) {
                    unmatchedFrames += recording[matchedEnd..<piece.position].count { $0 != 0 }
                    pieces.append(piece)
                    position = matchedEnd
                } else {
                    position += 1
                }
            }
            unmatchedFrames += recording[matchedEnd...].count { $0 != 0 }
        }
    }

    /// The frame of the recording at which the last piece ends.
    private var matchedEnd: Int { pieces.last.map { $0.position + $0.count } ?? 0 }

    /// The pieces, joined where one continues the one before, whatever silence is between them.
    var joined: [Piece] {
        pieces.reduce(into: []) { joined, piece in
            if let last = joined.last, last.source == piece.source, last.end == piece.start {
                joined[joined.count - 1].count += piece.count
            } else {
                joined.append(piece)
            }
        }
    }

    /// The number of source frames skipped at the longest silence between two pieces;
    /// negative if frames were repeated after it.
    var leftOutAtLongestSilence: Int {
        let later = pieces.indices.dropFirst().max { pieces[$0].silence < pieces[$1].silence }
        return later.map { pieces[$0].start - pieces[$0 - 1].end } ?? 0
    }

    /// The piece that contains the two frames at `position`, back to the end of the one before.
    private func piece(
        at position: Int, of recording: UnsafeBufferPointer<Frame>, _ sources: [[Frame]],
        _ index: [UInt64: (source: Int, frame: Int)]
    ) -> Piece? {
        guard position + 1 < recording.count,
            let (source, frame) = index[pair(recording[position], recording[position + 1])]
        else { return nil }
        return sources[source].withUnsafeBufferPointer { music in
            let before = recording.commonLength(
                before: position, with: music, before: frame, atMost: position - matchedEnd)
            let later = recording.commonLength(from: position, with: music, from: frame)
            guard before + later > Self.stride / 2 else { return nil }
            let first = position - before
            return Piece(
                source: source, start: frame - before, count: before + later,
                silence: recording.zeros(before: first, atMost: first - matchedEnd), position: first
            )
        }
    }

    private static func index(_ sources: [[Frame]]) -> [UInt64: (source: Int, frame: Int)] {
        var index: [UInt64: (source: Int, frame: Int)] = [:]
        for (source, music) in sources.enumerated() {
            music.withUnsafeBufferPointer { music in
                var frame = 0
                while frame + 1 < music.count {
                    if music[frame] != 0 {
                        index[pair(music[frame], music[frame + 1])] = (source, frame)
                    }
                    frame += stride
                }
            }
        }
        return index
    }
}

/// Two frames as one key.
private func pair(_ first: Frame, _ second: Frame) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
}

/// Comparisons by `memcmp`, which is fast in debug builds too.
extension UnsafeBufferPointer<Frame> {
    /// The number of frames from `index` that equal those of `other` from `start`.
    fileprivate func commonLength(
        from index: Int, with other: UnsafeBufferPointer<Frame>, from start: Int
    ) -> Int {
        let most = Swift.min(count - index, other.count - start)
        return longest(most) { done, length in
            isSame(index + done, other, start + done, length)
        }
    }

    /// The number of frames before `index` that equal those of `other` before `start`.
    fileprivate func commonLength(
        before index: Int, with other: UnsafeBufferPointer<Frame>, before start: Int,
        atMost limit: Int
    ) -> Int {
        longest(Swift.min(limit, start)) { done, length in
            isSame(index - done - length, other, start - done - length, length)
        }
    }

    /// The number of silent frames from `index`.
    fileprivate func zeros(from index: Int) -> Int {
        guard self[index] == 0 else { return 0 }
        // Silence is a run of equal frames.
        return 1 + commonLength(from: index + 1, with: self, from: index)
    }

    /// The number of silent frames before `index`.
    fileprivate func zeros(before index: Int, atMost limit: Int) -> Int {
        guard limit > 0, self[index - 1] == 0 else { return 0 }
        return 1 + commonLength(before: index - 1, with: self, before: index, atMost: limit - 1)
    }

    private func isSame(
        _ index: Int, _ other: UnsafeBufferPointer<Frame>, _ start: Int, _ length: Int
    ) -> Bool {
        guard let own = baseAddress, let base = other.baseAddress else { return length == 0 }
        return memcmp(own + index, base + start, length * MemoryLayout<Frame>.size) == 0
    }

    /// The greatest length up to `most` over which all frames are equal.
    private func longest(_ most: Int, _ isSame: (_ done: Int, _ length: Int) -> Bool) -> Int {
        var done = 0
        var length = 1 << 14
        while done < most && length > 0 {
            if length <= most - done && isSame(done, length) {
                done += length
            } else {
                length /= 2
            }
        }
        return done
    }
}
