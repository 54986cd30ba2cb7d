import UndersongBackground
import UndersongPlayback

/// The part of a file that an item plays, in seconds from the beginning of the file. People are shown
/// times of the part, as if it were a file of its own.
struct PlayedPart {
    private let start: Double
    /// Nil for the end of the file.
    private let end: Double?

    /// All of a file.
    init() { (start, end) = (0, nil) }

    init(_ item: QueueItem) { (start, end) = (item.start.seconds, item.end?.seconds) }

    init(_ item: ListedItem) { (start, end) = (item.start?.seconds ?? 0, item.end?.seconds) }

    /// The seconds of it that are over at a position in the file.
    func elapsed(at position: Double) -> Double { max(position - start, 0) }

    /// Its length, in a file of this length; nil if it is unknown.
    func length(inFileOf seconds: Double?) -> Double? {
        [end, seconds].compactMap(\.self).min().map { max($0 - start, 0) }
    }
}

extension ListedItem {
    /// The seconds to be played, if they are known.
    var length: Double? { PlayedPart(self).length(inFileOf: duration?.seconds) }
}

extension PlayerStatus {
    /// The seconds of the current item that are over, if there is one.
    var elapsed: Double? { item.map { PlayedPart($0).elapsed(at: position.seconds) } }
}
