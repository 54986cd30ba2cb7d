package import UndersongBackground
package import UndersongPlayback

/// The result of a seek.
package struct SeekOutcome: Sendable {
    /// False if a newer seek or another jump superseded it.
    package var isFinished: Bool
    /// The resulting time in the item.
    package var position: CMTime
    /// The status, if the seek went past the end of the item; nil if the item is the same.
    package var status: PlayerStatus?
}
