import UndersongBase

/// Creates entries from the lines of a CUE sheet: one for each audio track, from its INDEX 01 to
/// that of the next track in the same file.
struct CueLines: PlaylistLines {
    private var tracks: CueTracks
    /// The tracks that a line has completed.
    private var found: [CueSheet.Track] = []

    /// Creates a reader for a sheet in `context`.
    init(_ context: PlaylistContext) { tracks = CueTracks(context) }

    mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry]) {
        tracks.parse(line, into: &found)
        add(to: &entries)
    }

    mutating func finish(into entries: inout [QueueEntry]) {
        tracks.finish(into: &found)
        add(to: &entries)
    }

    private mutating func add(to entries: inout [QueueEntry]) {
        for track in found {
            entries.append(
                QueueEntry(
                    .file(path: track.path), start: track.start, end: track.end,
                    title: PlaylistTitle.title(track.title, by: track.performer)))
        }
        found.removeAll(keepingCapacity: true)
    }
}
