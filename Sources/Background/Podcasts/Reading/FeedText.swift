/// Texts in feeds.
enum FeedText {
    /// Returns a text without white space at its ends.
    static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }

    /// A title in plain text on one line, of at most `limit` bytes. Feeds often escape it twice.
    static func title(_ text: String, limit: Int) -> String? {
        let plain = unescaped(withoutTags(prefix(of: text, limit: 4 * limit)))
        let words = plain.split { $0.isWhitespace }.joined(separator: " ")
        let short = prefix(of: words, limit: limit)
        return short.isEmpty ? nil : short
    }

    /// Returns a text without anything that looks like tags of HTML.
    private static func withoutTags(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            plain += rest[..<start]
            rest = rest[start...].dropFirst()
            let isTag = rest.first.map { $0.isLetter || $0 == "/" || $0 == "!" } ?? false
            if isTag, let end = rest.firstIndex(of: ">") {
                rest = rest[end...].dropFirst()
            } else {
                plain += "<"
            }
        }
        return plain + rest
    }

    /// The longest part from the start that has at most `limit` bytes and ends with a character.
    static func prefix(of text: String, limit: Int) -> String {
        var (end, length) = (text.startIndex, 0)
        while end < text.endIndex {
            length += text[end].utf8.count
            guard length <= limit else { break }
            end = text.index(after: end)
        }
        return String(text[..<end])
    }

    private static let references: [(String, String)] = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"),
        ("&#039;", "'"), ("&nbsp;", " "), ("&#160;", " "), ("&amp;", "&"),
    ]

    private static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            let found = references.first { rest.hasPrefix($0.0) }
            result += found?.1 ?? "&"
            rest = rest.dropFirst(found?.0.count ?? 1)
        }
        return result + rest
    }

    /// Returns true if it is a URL of HTTP or HTTPS.
    static func isWebURL(_ text: String) -> Bool {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https" else { return false }
        let rest = text.dropFirst(scheme.count)
        return rest.hasPrefix("://") && rest.count > 3 && !rest.dropFirst(3).hasPrefix("/")
    }

    /// The absolute URL that a reference at `base` means, as in RFC 3986; nil if that is not a URL of
    /// the web, or the document itself.
    static func resolved(_ reference: String, at base: String) -> String? {
        if isWebURL(reference) { return escaped(reference) }
        guard isWebURL(base), let scheme = base.firstIndex(of: ":"), !reference.isEmpty,
            !reference.hasPrefix("#"),
            !(reference.prefix { $0 != "/" && $0 != "?" }).contains(":")
        else { return nil }
        if reference.hasPrefix("//") {
            let url = "\(base[...scheme])\(reference)"
            return isWebURL(url) ? escaped(url) : nil
        }
        let host = base.index(scheme, offsetBy: 3)
        let end = base[host...].firstIndex { "/?#".contains($0) } ?? base.endIndex
        let (origin, basePath) = (base[..<end], base[end...].prefix { $0 != "?" && $0 != "#" })
        let path = reference.prefix { $0 != "?" && $0 != "#" }
        let rest = reference[path.endIndex...]
        if path.isEmpty { return escaped("\(origin)\(basePath.isEmpty ? "/" : basePath)\(rest)") }
        let folder = basePath.lastIndex(of: "/").map { basePath[...$0] } ?? "/"
        let whole = path.hasPrefix("/") ? String(path) : "\(folder)\(path)"
        return escaped("\(origin)\(withoutDots(whole))\(rest)")
    }

    /// An absolute path without its `.` and `..`.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for part in parts {
            switch part {
            case ".": break
            case "..": _ = kept.popLast()
            default: kept.append(part)
            }
        }
        if parts.last == "." || parts.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }

    /// A URL with the characters escaped that none may have.
    static func escaped(_ url: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in url.utf8 {
            if byte > 0x20, byte < 0x7f, !"\"<>\\^`{|}".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Seconds of `3723`, `62:03` or `1:02:03`; nil for all else.
    static func duration(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3 else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number >= 0, number < 1e7 else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds > 0 ? seconds : nil
    }
}
