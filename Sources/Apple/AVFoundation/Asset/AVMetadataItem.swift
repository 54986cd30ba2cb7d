public import Foundation
public import UndersongPlayback

/// One value of an asset's tags, such as its title. Immutable; any thread may use it.
public final class AVMetadataItem: NSObject, AVAsynchronousKeyValueLoading, NSCopying,
    @unchecked Sendable
{
    /// The value of an item.
    enum Content: Sendable {
        case text(String)
        /// A picture, which is read from the file each time it is requested.
        case picture(mediaType: String, read: @Sendable () -> Data?)
    }

    private let frame: String
    private let content: Content
    private let detail: String
    private let range: CMTimeRange
    private let space: AVMetadataKeySpace

    /// Makes an item from an ID3 frame, or from what a live stream sends. `range` is the part of the
    /// asset to which it applies, if not to all of it.
    init(
        frame: String, detail: String, content: Content, range: CMTimeRange = .invalid,
        keySpace: AVMetadataKeySpace = .id3
    ) {
        self.frame = frame
        self.detail = detail
        self.content = content
        self.range = range
        self.space = keySpace
    }

    // MARK: Keys

    /// The identifier, made from the ID3 frame's name, `id3/TIT2`, or `icy/StreamTitle`.
    public var identifier: AVMetadataIdentifier? {
        AVMetadataIdentifier((space == .icy ? "icy/" : "id3/") + frame)
    }

    /// The ID3 frame's name: `TIT2`.
    public var key: (any Sendable)? { frame }

    /// The key space: ID3, or Icy for what a live stream sends.
    public var keySpace: AVMetadataKeySpace? { space }

    /// The start of the part of the asset to which the item applies, such as a chapter; `invalid`
    /// if it applies to all of it.
    public var time: CMTime { range.start }

    /// The length of that part; `invalid` if the item applies to all of the asset.
    public var duration: CMTime { range.duration }

    /// The common key, which is the same in every format; nil if the frame has none.
    public var commonKey: AVMetadataKey? { Self.commonKeys[frame] }

    // MARK: Values

    /// The text, a `String`, or the picture, `Data`. Reading a picture blocks.
    public var value: (any Sendable)? { stringValue ?? dataValue }

    /// The text; nil for a picture.
    public var stringValue: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The text as a number; nil if it is not one.
    public var numberValue: NSNumber? {
        stringValue.flatMap { Double($0) }.map { NSNumber(value: $0) }
    }

    /// The text as a date in UTC, which needs at least a year; nil if it is not one.
    public var dateValue: Date? { stringValue.flatMap(Self.date) }

    /// The picture, or the text as UTF-8. Reading a picture blocks; nil if the file no longer
    /// exists.
    public var dataValue: Data? {
        switch content {
        case .text(let text): Data(text.utf8)
        case .picture(_, let read): read()
        }
    }

    /// Core Media's name for the data type.
    public var dataType: String? {
        switch content {
        case .text: "com.apple.metadata.datatype.UTF-8"
        case .picture("image/jpeg", _), .picture("image/jpg", _):
            "com.apple.metadata.datatype.JPEG"
        case .picture("image/png", _): "com.apple.metadata.datatype.PNG"
        case .picture: "com.apple.metadata.datatype.raw-data"
        }
    }

    /// The frame's description under `info`: a comment's description, or the name of a user-defined
    /// text.
    public var extraAttributes: [AVMetadataExtraAttributeKey: any Sendable]? {
        detail.isEmpty ? nil : [.info: detail]
    }

    /// The item itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The identifier and the text.
    public override var description: String {
        "AVMetadataItem: \(identifier?.rawValue ?? frame) = \(stringValue ?? "a picture")"
    }

    private static let commonKeys: [String: AVMetadataKey] = [
        "TIT2": .commonKeyTitle, "TPE1": .commonKeyArtist, "TALB": .commonKeyAlbumName,
        "TYER": .commonKeyCreationDate, "TDRC": .commonKeyCreationDate, "TCON": .commonKeyType,
        "APIC": .commonKeyArtwork, "TCOM": .commonKeyCreator, "TPUB": .commonKeyPublisher,
        "StreamTitle": .commonKeyTitle, "TCOP": .commonKeyCopyrights, "TLAN": .commonKeyLanguage,
        "TSSE": .commonKeySoftware,
    ]

    /// Parses `1996`, `1996-05` and `1996-05-04`, and ignores a time after the date.
    private static func date(_ text: String) -> Date? {
        let day = text.prefix { $0 != "T" }
        let numbers = day.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard let year = numbers.first ?? nil, day.prefix(4).allSatisfy(\.isNumber),
            (1...9999).contains(year), !numbers.contains(nil), numbers.count <= 3
        else { return nil }
        var components = DateComponents()
        components.year = year
        components.month = numbers.count > 1 ? numbers[1] : 1
        components.day = numbers.count > 2 ? numbers[2] : 1
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: components)
    }
}

// Filtering items.
extension AVMetadataItem {
    /// The `items` with `identifier`; a common identifier, such as `commonIdentifierTitle`, matches
    /// all items with its common key.
    public class func metadataItems(
        from items: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        items.filter { $0.answers(to: identifier) }
    }

    /// The `items` with `key`, a `String` or an `AVMetadataKey`, in `keySpace`; nil matches any.
    public class func metadataItems(
        from items: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let name = key.map { ($0 as? AVMetadataKey)?.rawValue ?? $0 as? String ?? "" }
        return items.filter { item in
            switch keySpace {
            case .common:
                guard let common = item.commonKey else { return false }
                return name.map { $0 == common.rawValue } ?? true
            case nil: return name.map { $0 == item.frame } ?? true
            case item.space: return name.map { $0 == item.frame } ?? true
            default: return false
            }
        }
    }

    /// The identifier of `key` in `keySpace`; nil if there is no such key space.
    public class func identifier(
        forKey key: Any, keySpace: AVMetadataKeySpace
    ) -> AVMetadataIdentifier? {
        guard let name = (key as? AVMetadataKey)?.rawValue ?? key as? String else { return nil }
        switch keySpace {
        case .common: return AVMetadataIdentifier("common/" + name)
        case .id3: return AVMetadataIdentifier("id3/" + name)
        case .icy: return AVMetadataIdentifier("icy/" + name)
        default: return nil
        }
    }

    private func answers(to identifier: AVMetadataIdentifier) -> Bool {
        if identifier == self.identifier { return true }
        return commonKey.map { identifier.rawValue == "common/" + $0.rawValue } ?? false
    }
}

// Properties of an item for `load(_:)`.
extension AVPartialAsyncProperty where Root: AVMetadataItem {
    /// The text or the picture.
    public static var value: AVAsyncProperty<Root, (any Sendable)?> { .item("value") { $0.value } }
    /// The text.
    public static var stringValue: AVAsyncProperty<Root, String?> {
        .item("stringValue") { $0.stringValue }
    }
    /// The text as a number.
    public static var numberValue: AVAsyncProperty<Root, NSNumber?> {
        .item("numberValue") { $0.numberValue }
    }
    /// The text as a date.
    public static var dateValue: AVAsyncProperty<Root, Date?> {
        .item("dateValue") { $0.dateValue }
    }
    /// The picture, or the text as UTF-8.
    public static var dataValue: AVAsyncProperty<Root, Data?> {
        .item("dataValue") { $0.dataValue }
    }
    /// The frame's description.
    public static var extraAttributes:
        AVAsyncProperty<Root, [AVMetadataExtraAttributeKey: any Sendable]?>
    {
        .item("extraAttributes") { $0.extraAttributes }
    }
}

// The older API for loading properties.
extension AVMetadataItem {
    /// Calls `handler` once, on one of the library's threads: the values are known, and a picture is
    /// read when it is asked for.
    @preconcurrency
    public func loadValuesAsynchronously(
        forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
    ) {
        if let handler { AssetLoader.call(handler) }
    }

    /// The loading status of a property: always loaded.
    public func statusOfValue(forKey key: String, error: NSErrorPointer) -> AVKeyValueStatus {
        .loaded
    }
}

extension AVAsyncProperty where Root: AVMetadataItem {
    /// A property of an item. Only a picture has to be read, on a queue of its own.
    fileprivate static func item(
        _ name: String, _ read: @escaping @Sendable (Root) -> Value
    ) -> AVAsyncProperty<Root, Value> {
        AVAsyncProperty(name, known: { .loaded(read($0)) }) { item in
            await AssetLoader.offThread { read(item) }
        }
    }
}
