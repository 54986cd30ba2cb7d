import UndersongBase

/// A condition on the texts of items, which are compared as `String.folded`.
package indirect enum ItemCondition: Hashable, Sendable {
    case all([ItemCondition])
    case any([ItemCondition])
    case not(ItemCondition)
    /// A folded text in the field, or in any field if that is nil.
    case text(Field?, Comparison, String)

    /// A text of an item.
    package enum Field: Hashable, Sendable {
        case path
        /// The title by its tag or by the playlist.
        case title
        case artist, album
    }

    /// Ways to compare a text.
    package enum Comparison: Hashable, Sendable {
        /// It occurs in the field, which is not empty.
        case contains
        /// It is the field; an empty one is a field without a text.
        case equals
        /// The field, which is not empty, begins with it.
        case begins
    }

    /// True if it holds for the item.
    package func holds(for item: QueueItem) -> Bool {
        switch self {
        case .all(let conditions): conditions.allSatisfy { $0.holds(for: item) }
        case .any(let conditions): conditions.contains { $0.holds(for: item) }
        case .not(let condition): !condition.holds(for: item)
        case .text(let field, let comparison, let text):
            comparison.holds(for: text, in: item.texts(of: field).filter { !$0.isEmpty })
        }
    }
}

extension ItemCondition.Comparison {
    fileprivate func holds(for text: String, in texts: [String]) -> Bool {
        switch self {
        case .contains: texts.contains { $0.folded.utf8.contains(text.utf8) }
        case .begins: texts.contains { $0.folded.utf8.starts(with: text.utf8) }
        case .equals:
            text.isEmpty
                ? texts.isEmpty : texts.contains { $0.folded.utf8.elementsEqual(text.utf8) }
        }
    }
}

extension QueueItem {
    fileprivate func texts(of field: ItemCondition.Field?) -> [String] {
        switch field {
        case .path: [source.path.description]
        case .title: [title, facts?.title].compactMap(\.self)
        case .artist: [facts?.artist].compactMap(\.self)
        case .album: [facts?.album].compactMap(\.self)
        case nil:
            texts(of: .path) + texts(of: .title) + texts(of: .artist) + texts(of: .album)
        }
    }
}
