import Synchronization

/// The only way of samples from the decode thread to the output thread: a lock-free ring of frames
/// with one producer and one consumer.
///
/// Positions count frames from the start of the stream and never wrap. The consumer keeps the last
/// `history` frames that it took, so that it can step back over those that the device discarded
/// unheard.
@frozen
package struct FrameRing: ~Copyable {
    package var producer: FrameProducer
    package var consumer: FrameConsumer

    /// Creates an empty ring of `capacity` frames, up to `history` of which are kept after they are
    /// taken.
    package init(format: StreamFormat, capacity: Int, history: Int) {
        precondition(capacity > history && history >= 0)
        let storage = RingStorage(format: format, capacity: capacity, history: history)
        producer = FrameProducer(storage: storage)
        consumer = FrameConsumer(storage: storage)
    }
}

/// The memory shared by both ends. It is unchecked because the frames are plain memory. It is safe
/// because each position has one writer, a frame is written before `produced` is released past it,
/// and it is overwritten only after `released` has passed it.
@safe
package final class RingStorage: @unchecked Sendable {
    let frameSize: Int
    let capacity: Int
    let history: Int
    let frames: UnsafeMutableRawPointer
    /// The number of frames written so far; stored by the producer.
    let produced = Atomic<Int>(0)
    /// The number of frames that may be overwritten; stored by the consumer.
    let released = Atomic<Int>(0)
    /// True if any frame has been taken; stored by the consumer.
    let hasBegun = Atomic<Bool>(false)
    /// True if nothing is about to be written; stored by the producer.
    let isFinished = Atomic<Bool>(false)

    init(format: StreamFormat, capacity: Int, history: Int) {
        frameSize = format.bytesPerFrame
        self.capacity = capacity
        self.history = history
        // Every sample is written before it is read, so memory that is not needed yet stays
        // untouched.
        unsafe frames = .allocate(byteCount: capacity * frameSize, alignment: 16)
    }

    deinit { unsafe frames.deallocate() }
}

/// The end that the decode thread owns.
package struct FrameProducer: ~Copyable, Sendable {
    private let storage: RingStorage

    init(storage: RingStorage) { self.storage = storage }

    package var capacity: Int { storage.capacity }
    /// The number of frames written so far: the position of the next one.
    package var position: Int { storage.produced.load(ordering: .relaxed) }
    /// True if the consumer has taken any frames yet.
    package var isConsumed: Bool { storage.hasBegun.load(ordering: .acquiring) }
    /// Frames that can be written now.
    package var room: Int {
        storage.capacity - (position - storage.released.load(ordering: .acquiring))
    }

    /// Writes as many whole frames of `source` as there is room for, and returns how many.
    package mutating func write(_ source: UnsafeRawBufferPointer) -> Int {
        let start = position
        let size = storage.frameSize
        let count = min(room, source.count / size)
        let offset = start % storage.capacity
        let head = min(count, storage.capacity - offset)
        if let base = source.baseAddress {
            unsafe (storage.frames + offset * size).copyMemory(from: base, byteCount: head * size)
            unsafe storage.frames.copyMemory(
                from: base + head * size, byteCount: (count - head) * size)
        }
        storage.produced.store(start + count, ordering: .releasing)
        return count
    }

    /// Announces that nothing follows for now.
    package mutating func finish() { storage.isFinished.store(true, ordering: .releasing) }

    /// Revokes `finish`: more follows.
    package mutating func resume() { storage.isFinished.store(false, ordering: .releasing) }

    /// Removes everything from `position` on. Precondition: the consumer is stopped meanwhile, at
    /// `position` or before it, and the ring still holds the frames there.
    package mutating func truncate(to position: Int) {
        precondition(position <= self.position)
        precondition(position >= storage.released.load(ordering: .acquiring))
        storage.produced.store(position, ordering: .releasing)
    }
}

/// The end that the output thread owns. It neither allocates nor locks, which the compiler checks.
package struct FrameConsumer: ~Copyable, Sendable {
    private let storage: RingStorage
    /// The position of the next frame to take.
    package private(set) var position = 0

    init(storage: RingStorage) { self.storage = storage }

    /// Frames that can be taken now, including those past the wrap.
    package var available: Int {
        @_noLocks get { storage.produced.load(ordering: .acquiring) - position }
    }

    /// True if the producer announced that nothing follows for now. Available frames may still be
    /// taken.
    package var isFinished: Bool {
        @_noLocks get { storage.isFinished.load(ordering: .acquiring) }
    }

    /// Frames that were taken and are still kept.
    package var kept: Int {
        @_noLocks get { position - storage.released.load(ordering: .relaxed) }
    }

    /// Frames available to take when the ring is full.
    package var ahead: Int { @_noLocks get { storage.capacity - storage.history } }

    /// The next frames in one piece, at most `limit`. They stay valid until `advance`.
    @_noLocks
    package borrowing func next(limit: Int) -> UnsafeRawBufferPointer {
        let offset = position % storage.capacity
        // Read only once, since the producer continues meanwhile.
        let available = available
        var count = storage.capacity - offset
        if available < count { count = available }
        if limit < count { count = limit }
        let size = storage.frameSize
        return unsafe UnsafeRawBufferPointer(
            start: storage.frames + offset * size, count: count * size)
    }

    /// Takes `count` frames.
    @_noLocks
    package mutating func advance(by count: Int) {
        position += count
        storage.hasBegun.store(true, ordering: .releasing)
        // After a step back, frames released earlier belong to the producer.
        let kept = position - storage.history
        if kept > storage.released.load(ordering: .relaxed) {
            storage.released.store(kept, ordering: .releasing)
        }
    }

    /// Steps back over `count` frames that were taken but not heard. Precondition: they are still
    /// kept, as the last `history` frames are.
    @_noLocks
    package mutating func rewind(by count: Int) {
        precondition(count >= 0 && position - count >= storage.released.load(ordering: .relaxed))
        position -= count
    }
}
