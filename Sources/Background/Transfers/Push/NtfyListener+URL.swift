extension NtfyListener {
    /// The URL at which to listen at a topic; with a time, that of what was kept of it since.
    package static func url(of topic: String, since: Int?) -> String {
        let parts = topic.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = parts[0]
        while base.hasSuffix("/") { base = base.dropLast() }
        let query = [parts.count > 1 ? String(parts[1]) : nil, since.map { "poll=1&since=\($0)" }]
            .compactMap { $0 }.filter { !$0.isEmpty }
        return base + "/json" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
