import UndersongBase

@testable import UndersongPlayback

/// The entries of a playlist of lines, whose bytes arrive in pieces of `size`.
func entries(
    _ bytes: some Sequence<UInt8>, _ format: PlaylistFormat,
    _ context: PlaylistContext = PlaylistContext(folder: "/lists"), size: Int = .max
) throws -> [QueueEntry] {
    var reader = format.lineReader(context)
    var entries: [QueueEntry] = []
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        try reader?.read(Array(rest.prefix(size)).span, into: &entries)
        rest = rest.dropFirst(size)
    }
    try reader?.finish(into: &entries)
    return entries
}

/// The paths of an M3U playlist's entries.
func paths(m3u bytes: [UInt8], folder: FilePath) -> [String] {
    let entries = try? entries(bytes, .m3u, PlaylistContext(folder: folder))
    return entries?.map(\.source.path.description) ?? []
}

extension QueueEntry {
    /// Part of a file, from and to a number of 75ths of a second.
    static func part(
        _ path: String, _ title: String?, from start: Int64, to end: Int64? = nil
    ) -> QueueEntry {
        QueueEntry(
            .file(path: path), start: CMTime(value: start, timescale: 75),
            end: end.map { CMTime(value: $0, timescale: 75) }, title: title)
    }
}
