/// The control sequences by which a full screen is drawn, which all terminals but those for printing
/// understand.
enum ScreenControl {
    /// Begins the full screen: the terminal keeps what it shows, and hides the cursor.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
    /// Ends the full screen: the terminal shows again what it has kept.
    static let leave = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

    /// Whether the terminal with this value of `TERM` understands them.
    static func isUnderstood(by name: String?) -> Bool { !["", "dumb"].contains(name ?? "") }

    /// What turns the frame that is shown into another one; all of it for nil.
    static func changes(
        from old: QueueScreenText.Frame?, to new: QueueScreenText.Frame
    ) -> String {
        guard old != new else { return "" }
        let isAnew = old?.lines.count != new.lines.count
        var text = isAnew ? enter : ""
        let isNewPicture = isAnew || old?.picture != new.picture
        // Text that is drawn in the place of sixels removes them.
        let freed = isNewPicture ? [old?.picture, new.picture].compactMap(\.self) : []
        if isNewPicture, let picture = old?.picture { text += picture.cover.request.style.removal }
        for (row, line) in new.lines.enumerated() {
            let isFreed = freed.contains { $0.rows.contains(row) }
            guard isAnew || isFreed || old?.lines[row] != line else { continue }
            text += "\u{1B}[\(row + 1);1H\(style(line.style))\(line.text)\u{1B}[0m\(line.panel)"
            if isFreed || !line.hasPicture { text += "\u{1B}[K" }
        }
        if isNewPicture, let picture = new.picture {
            text += "\u{1B}[\(picture.row + 1);\(picture.column + 1)H" + picture.cover.text
        }
        guard let caret = new.caret else { return text + (old?.caret == nil ? "" : "\u{1B}[?25l") }
        return text + "\u{1B}[\(new.lines.count);\(caret + 1)H\u{1B}[?25h"
    }

    private static func style(_ style: QueueScreenText.Line.Style) -> String {
        switch style {
        case .plain: ""
        case .bold: "\u{1B}[1m"
        case .dim: "\u{1B}[2m"
        case .selected: "\u{1B}[7m"
        }
    }
}
