/// Names of files and folders, from titles.
package enum EpisodeName {
    private static let limit = 120

    /// A name that every usual file system takes, made of a title; never empty, hidden, or a path.
    package static func safe(_ title: String, fallback: String) -> String {
        var text = ""
        for scalar in title.unicodeScalars {
            let isControl = scalar.value < 0x20 || 0x7f...0x9f ~= scalar.value
            // Marks that change the direction of a name, which can disguise its end.
            let isMark = 0x202a...0x202e ~= scalar.value || 0x2066...0x2069 ~= scalar.value
            if isMark { continue }
            if isControl {
                text += " "
            } else if "/\\:*?\"<>|".unicodeScalars.contains(scalar) {
                text += "-"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        let words = text.split(separator: " ").joined(separator: " ")
        var name = FeedText.prefix(of: words, limit: limit)
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        while let first = name.first, first == "." || first == " " { name.removeFirst() }
        return name.isEmpty ? fallback : name
    }

    /// A name for the file of an episode that `isTaken` does not know.
    package static func file(
        title: String, extension end: String, isTaken: (String) -> Bool
    ) -> String {
        let name = safe(title, fallback: "Episode")
        var candidate = "\(name).\(end)"
        var number = 2
        while isTaken(candidate) {
            candidate = "\(name) (\(number)).\(end)"
            number += 1
        }
        return candidate
    }
}
