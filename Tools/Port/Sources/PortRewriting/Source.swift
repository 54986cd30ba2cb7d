import SwiftParser
import SwiftSyntax

/// A source file, and what is changed in it.
package final class Source {
    /// The path, for reports.
    package let path: String
    let tree: SourceFileSyntax
    private let text: [UInt8]
    private let converter: SourceLocationConverter
    private var edits: [(range: Range<Int>, text: String)] = []

    package init(path: String, text: String) {
        self.path = path
        self.text = Array(text.utf8)
        tree = Parser.parse(source: text)
        converter = SourceLocationConverter(fileName: path, tree: tree)
    }

    /// The line on which a node begins, from 1.
    func line(of node: some SyntaxProtocol) -> Int {
        converter.location(for: node.positionAfterSkippingLeadingTrivia).line
    }

    /// The column on which a node begins, from 1.
    func column(of node: some SyntaxProtocol) -> Int {
        converter.location(for: node.positionAfterSkippingLeadingTrivia).column
    }

    /// Replaces a node, but not the blanks and comments around it.
    func replace(_ node: some SyntaxProtocol, with text: String) {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        edits.append((start..<node.endPositionBeforeTrailingTrivia.utf8Offset, text))
    }

    /// Removes a node and the blanks that follow it on its line; with `isWholeLine`, all of the line
    /// if nothing else is on it.
    func remove(_ node: some SyntaxProtocol, isWholeLine: Bool = false) {
        var start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        var end = node.endPosition.utf8Offset
        while end < text.count, text[end] == UInt8(ascii: " ") { end += 1 }
        if isWholeLine || end < text.count && text[end] == UInt8(ascii: "\n") {
            var before = start
            while before > 0, text[before - 1] == UInt8(ascii: " ") || text[before - 1] == 9 {
                before -= 1
            }
            let isAlone = before == 0 || text[before - 1] == UInt8(ascii: "\n")
            if isAlone, end < text.count, text[end] == UInt8(ascii: "\n") {
                start = before
                end += 1
            }
        }
        edits.append((start..<end, ""))
    }

    /// Inserts a text.
    func insert(_ text: String, at offset: Int) { edits.append((offset..<offset, text)) }

    /// True if something is changed.
    package var isChanged: Bool { rewritten != String(decoding: text, as: UTF8.self) }

    /// The text with all changes. Of changes within one another the outer one counts.
    package var rewritten: String {
        var result = text
        var limit = Int.max
        let ordered = edits.enumerated().sorted { first, second in
            let (left, right) = (first.element.range, second.element.range)
            return (left.upperBound, -left.lowerBound, first.offset)
                > (right.upperBound, -right.lowerBound, second.offset)
        }
        for (_, edit) in ordered where edit.range.upperBound <= limit {
            result.replaceSubrange(edit.range, with: edit.text.utf8)
            limit = edit.range.lowerBound
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// Something that is left to be done by hand.
package struct Remark: Hashable, Comparable, CustomStringConvertible, Sendable {
    package let path: String
    package let line: Int
    package let reason: String

    package var description: String { "\(path):\(line): \(reason)" }

    package static func < (left: Remark, right: Remark) -> Bool {
        (left.path, left.line, left.reason) < (right.path, right.line, right.reason)
    }
}
