/// Where an item's encoded frames lie in its file, so that a seek need not look for them, and how long
/// the item really is.
package struct MediaIndex: Equatable, Sendable {
    /// Where every `step`th encoded frame begins, in bytes; empty where a seek needs no such help.
    package var offsets: [Int]
    /// Encoded frames from one offset to the next.
    package var step: Int
    /// The item's exact length in frames of its own rate.
    package var frameCount: Int

    package init(offsets: [Int], step: Int, frameCount: Int) {
        self.offsets = offsets
        self.step = step
        self.frameCount = frameCount
    }
}
