import UndersongBackground
import UndersongBase
import UndersongCommandOptions
import UndersongControl

/// Formats a status for a custom module of Waybar.
enum WaybarText {
    private struct Module: Encodable {
        var text: String
        var alt: String
        var tooltip: String
        var `class`: String
        var percentage: Int?
    }

    /// `{"alt":"playing","class":"playing","percentage":17,"text":"A - B","tooltip":"…"}`; without
    /// an item, the text is empty, which hides the module. Texts are escaped as Pango's markup.
    static func line(_ status: PlayerStatus) -> String {
        guard let item = status.item else { return emptyLine }
        let lines = [StatusText.line(status), item.album.map(Columns.printable) ?? ""]
        let length = item.duration?.seconds ?? 0
        return JSONLine.text(
            of: Module(
                text: escaped(item.name), alt: status.status.rawValue,
                tooltip: escaped(lines.filter { !$0.isEmpty }.joined(separator: "\n")),
                class: status.status.rawValue,
                percentage: length > 0
                    ? Int(min(max(status.position.seconds / length, 0), 1) * 100) : nil))
    }

    /// The line without an item, or without a service.
    static var emptyLine: String {
        JSONLine.text(
            of: Module(text: "", alt: "stopped", tooltip: "nothing is playing", class: "stopped"))
    }

    private static func escaped(_ text: String) -> String {
        let escapes: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return text.map { escapes[$0] ?? String($0) }.joined()
    }
}
