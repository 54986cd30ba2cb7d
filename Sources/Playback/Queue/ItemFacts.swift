/// What an item's file has said of itself when it was opened. It is kept with the item, so that it
/// is known when the file is closed again.
public struct ItemFacts: Hashable, Sendable {
    /// The title by the file's tag; nil: it has none.
    public var title: String?
    /// The playing time of the whole file; nil: not known, as of a stream.
    public var duration: CMTime?
    /// Whether `duration` is exact; else it is an estimate from the file's size.
    public var isDurationExact: Bool

    /// Makes facts.
    public init(title: String? = nil, duration: CMTime? = nil, isDurationExact: Bool = false) {
        self.title = title
        self.duration = duration
        self.isDurationExact = isDurationExact
    }

    /// Takes over what a decoder knows of the file.
    package init(_ description: MediaDescription) {
        let title = description.tags["title"] ?? ""
        let duration = description.duration.isNumeric ? description.duration : nil
        self.init(
            title: title.isEmpty ? nil : title, duration: duration,
            isDurationExact: duration != nil && description.isDurationExact)
    }
}
