package import UndersongBase

/// The value of `Content-Range`.
package struct ContentRange: Hashable, Sendable {
    /// The first and the last byte; nil in a response without a body of the file (416).
    package var bytes: ClosedRange<Int64>?
    /// The length of the whole file; nil when the server does not know it.
    package var total: Int64?

    package init(bytes: ClosedRange<Int64>?, total: Int64?) {
        self.bytes = bytes
        self.total = total
    }

    /// Parses `bytes 0-99/1000`, `bytes 0-99/*` and `bytes */1000`; nil for all else.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let number = Int64(parts[1]), number >= 0 else { return nil }
            total = number
        }
        guard parts[0] != "*" else { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]), first >= 0,
            last >= first, total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }
}

/// A response without its body, as far as a transfer needs it.
package struct ResponseHead: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The URL that answered, after all redirects.
    package var url: String
    private var fields: [String: [String]] = [:]

    package init(status: Int, url: String, _ fields: [String: String] = [:]) {
        self.status = status
        self.url = url
        for (name, value) in fields { self.fields[name.lowercased()] = [value] }
    }

    /// Adds a line `Name: value`; other lines are ignored.
    package mutating func add(line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        let name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...]
        fields[name, default: []].append(Self.trimmed(value))
    }

    /// All fields, by their names in lower case; a field with several lines has all their values.
    package var session: SessionTask.Response {
        let fields = fields.sorted { $0.key < $1.key }
        return SessionTask.Response(
            status: status, url: url,
            fields: fields.map { name, values in
                SessionTask.Field(name: name, value: values.joined(separator: ", "))
            })
    }

    /// The value of a field, of the first if there are several; `name` in any case.
    package subscript(name: String) -> String? { fields[name.lowercased()]?.first }

    /// The values of all lines with this field; `name` in any case.
    func values(of name: String) -> [String] { fields[name.lowercased()] ?? [] }

    /// The length of the body in bytes.
    package var contentLength: Int64? {
        self["Content-Length"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// True if a length is announced that is too great to count, so that the body is not whole
    /// wherever it ends.
    package var isLengthBeyondCounting: Bool {
        guard contentLength == nil, let text = self["Content-Length"], !text.isEmpty else {
            return false
        }
        return text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    package var contentRange: ContentRange? { self["Content-Range"].flatMap { ContentRange($0) } }

    /// The media type in lower case, without parameters.
    package var contentType: String? {
        self["Content-Type"].map { type in
            Self.trimmed(type.prefix { $0 != ";" }).lowercased()
        }
    }

    /// The character set that the media type names.
    package var charset: String? {
        for parameter in (self["Content-Type"] ?? "").split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, Self.trimmed(pair[0]).lowercased() == "charset" else { continue }
            let name = Self.trimmed(pair[1]).filter { $0 != "\"" && $0 != "'" }
            return name.isEmpty ? nil : name
        }
        return nil
    }

    /// True if the body is compressed, which was not asked for.
    package var isEncoded: Bool {
        guard let encoding = self["Content-Encoding"]?.lowercased() else { return false }
        return !encoding.isEmpty && encoding != "identity"
    }

    /// Returns the validator with which a later request can prove that it continues this response;
    /// nil for none.
    ///
    /// A weak entity tag says that the bytes may differ, so then the date is not believed either. A
    /// date counts only if it is at least a minute before the response: the file may have changed
    /// twice in its second.
    package var validator: Validator? {
        if let tag = self["ETag"] {
            let isStrong = tag.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
            return isStrong ? .entityTag(tag) : nil
        }
        guard let text = self["Last-Modified"], let changed = CalendarDate(http: text),
            let date = self["Date"].flatMap({ CalendarDate(http: $0) }),
            date.secondsSince1970 - changed.secondsSince1970 >= 60
        else { return nil }
        return .lastModified(text)
    }

    /// The seconds to wait before another request; `now` in seconds since 1970.
    package func retryAfter(now: Double) -> Double? {
        guard let text = self["Retry-After"] else { return nil }
        if let seconds = Double(text), seconds >= 0, seconds.isFinite { return seconds }
        return CalendarDate(http: text).map { max(0, $0.secondsSince1970 - now) }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        let end = start.lastIndex { !$0.isWhitespace }
        return end.map { String(start[...$0]) } ?? ""
    }
}
