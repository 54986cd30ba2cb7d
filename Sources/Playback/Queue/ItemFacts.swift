/// What an item's file revealed when it was opened. It is kept with the item to remain known after
/// the file is closed.
public struct ItemFacts: Hashable, Sendable {
    /// The title from the file's tag; nil if it has none.
    public var title: String?
    /// The duration of the whole file; nil if unknown, as of a stream.
    public var duration: CMTime?
    /// Whether `duration` is exact rather than estimated from the file's size.
    public var isDurationExact: Bool

    /// Creates facts.
    public init(title: String? = nil, duration: CMTime? = nil, isDurationExact: Bool = false) {
        self.title = title
        self.duration = duration
        self.isDurationExact = isDurationExact
    }

    /// Creates facts from a decoder's description of the file.
    package init(_ description: MediaDescription) {
        let title = description.tags["title"] ?? ""
        let duration = description.duration.isNumeric ? description.duration : nil
        self.init(
            title: title.isEmpty ? nil : title, duration: duration,
            isDurationExact: duration != nil && description.isDurationExact)
    }
}
