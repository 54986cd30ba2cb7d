import UndersongBase
import UndersongLibrary

/// The order of songs in MPD's database: folder by folder, in each of them by album, disc, number and
/// name, and before the folders in it. Texts are compared as people sort them.
struct MPDOrderKey: Comparable, Sendable {
    private let folders: [MPDCollationKey]
    private let album: MPDCollationKey?
    private let disc: Int
    private let number: Int
    private let name: MPDCollationKey

    init(_ song: MPDSong) {
        var parts = song.uri.split(separator: "/")
        name = MPDCollationKey(parts.popLast() ?? "")
        folders = parts.map { MPDCollationKey($0) }
        album = song.tags.album.map { MPDCollationKey($0) }
        disc = song.tags.disc ?? 0
        number = song.tags.number ?? 0
    }

    static func < (left: MPDOrderKey, right: MPDOrderKey) -> Bool {
        if left.folders != right.folders {
            return left.folders.lexicographicallyPrecedes(right.folders)
        }
        if left.album != right.album {
            guard let album = left.album else { return true }
            return right.album.map { album < $0 } ?? false
        }
        return (left.disc, left.number, left.name) < (right.disc, right.number, right.name)
    }
}

/// A text as it is sorted: letters first without case and diacritics, then with the latter, then small
/// ones before capitals, and punctuation before digits before letters.
struct MPDCollationKey: Comparable, Hashable, Sendable {
    private let primary: [UInt32]
    private let secondary: [UInt8]
    private let text: [UInt8]

    /// ASCII's characters before the letters, in Unicode's order.
    private static let weights: [UInt32] = {
        var weights = Array(repeating: UInt32(0), count: 128)
        for (index, scalar) in "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789".unicodeScalars
            .enumerated()
        {
            weights[Int(scalar.value)] = UInt32(index) + 3
        }
        weights[0x20] = 2
        for letter in 0x61..<0x7B { weights[letter] = UInt32(letter) }
        return weights
    }()

    init(_ text: some StringProtocol) {
        let text = String(text)
        primary = text.folded.unicodeScalars.map { scalar in
            scalar.value < 0x80 ? Self.weights[Int(scalar.value)] : scalar.value + 0x80
        }
        secondary = Array(text.lowercased().utf8)
        self.text = text.utf8.map { byte in
            // Small letters are before capitals.
            switch byte {
            case 0x41...0x5A: byte + 0x20
            case 0x61...0x7A: byte - 0x20
            default: byte
            }
        }
    }

    static func < (left: MPDCollationKey, right: MPDCollationKey) -> Bool {
        if left.primary != right.primary {
            return left.primary.lexicographicallyPrecedes(right.primary)
        }
        if left.secondary != right.secondary {
            return left.secondary.lexicographicallyPrecedes(right.secondary)
        }
        return left.text.lexicographicallyPrecedes(right.text)
    }
}

/// The order that a client asks for by `sort`.
struct MPDSort: Hashable, Sendable {
    enum Key: Hashable, Sendable {
        case tag(MPDTag)
        case modified
    }

    let key: Key
    let isDescending: Bool

    /// Nil if the text, such as `-Date`, names no order.
    init?(_ text: String) {
        isDescending = text.hasPrefix("-")
        let name = isDescending ? text.dropFirst() : text[...]
        if name.lowercased() == "last-modified" {
            key = .modified
        } else {
            guard let tag = MPDTag(name: name) else { return nil }
            key = .tag(tag)
        }
    }

    /// Sorts elements by their songs; those that are equal stay in their order.
    func sorted<Element>(_ elements: [Element], song: (Element) -> MPDSong) -> [Element] {
        switch key {
        case .modified: sorted(elements) { song($0).modified ?? -.infinity }
        case .tag(let tag) where tag == .disc || tag == .track:
            sorted(elements) { Int(song($0).texts(of: tag).first ?? "") ?? 0 }
        case .tag(let tag):
            sorted(elements) { Bytes(Array(song($0).sortText(of: tag).utf8)) }
        }
    }

    private func sorted<Element, Value: Comparable>(
        _ elements: [Element], by value: (Element) -> Value
    ) -> [Element] {
        let keyed = elements.enumerated().map { (index: $0, value: value($1)) }
        let order = keyed.sorted { left, right in
            if left.value != right.value {
                return isDescending ? right.value < left.value : left.value < right.value
            }
            return left.index < right.index
        }
        return order.map { elements[$0.index] }
    }
}

extension MPDSong {
    /// The text by which it is sorted; empty if it has none.
    fileprivate func sortText(of tag: MPDTag) -> String {
        let texts = textsOrSubstitutes(of: tag)
        return (texts.isEmpty && tag == .composerSort ? self.texts(of: .composer) : texts).first
            ?? ""
    }
}

/// Bytes in their order.
private struct Bytes: Comparable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func < (left: Bytes, right: Bytes) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
