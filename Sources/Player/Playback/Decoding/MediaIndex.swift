/// The places of an item's encoded frames in its file, which make seeking fast, and the item's true
/// length.
package struct MediaIndex: Equatable, Sendable {
    /// The offsets of every `step`th encoded frame, in bytes; empty if seeking is fast without.
    package var offsets: [Int]
    /// The number of encoded frames from one offset to the next.
    package var step: Int
    /// The item's exact length in frames at its own rate.
    package var frameCount: Int

    package init(offsets: [Int], step: Int, frameCount: Int) {
        self.offsets = offsets
        self.step = step
        self.frameCount = frameCount
    }
}
