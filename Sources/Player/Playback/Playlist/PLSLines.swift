import UndersongBase

/// Creates entries from the lines of a PLS playlist: `File1=…`, `Title1=…`, `File2=…`.
///
/// Entries keep the order of the file, whatever their numbers. A title only counts next to its
/// file.
struct PLSLines: PlaylistLines {
    private var names: PlaylistNames
    /// The number of the entry being read.
    private var number = -1
    private var path: FilePath?
    private var title: [UInt8]?
    private var duration: CMTime?

    /// Creates a reader for a playlist in `context`.
    init(_ context: PlaylistContext) { names = PlaylistNames(context) }

    mutating func parse(_ line: Span<UInt8>, into entries: inout [QueueEntry]) {
        let range = line.trimmed(line.indices)
        if let (number, value) = Self.field("FILE", line, range) {
            if number != self.number || path != nil { next(number, into: &entries) }
            path = names.path(line.extracting(value))
        } else if let (number, value) = Self.field("TITLE", line, range) {
            if number != self.number { next(number, into: &entries) }
            title = value.isEmpty ? nil : line.bytes(value)
        } else if let (number, value) = Self.field("LENGTH", line, range) {
            if number != self.number { next(number, into: &entries) }
            duration = PlaylistTime.length(line.text(value))
        }
    }

    mutating func finish(into entries: inout [QueueEntry]) { next(-1, into: &entries) }

    /// Starts the entry `number`.
    private mutating func next(_ number: Int, into entries: inout [QueueEntry]) {
        if let path {
            entries.append(
                QueueEntry(.file(path: path), title: title.map(names.text), duration: duration))
        }
        (self.number, path, title, duration) = (number, nil, nil, nil)
    }

    /// The number and value of a line `KEY12=value`.
    private static func field(
        _ key: StaticString, _ line: Span<UInt8>, _ range: Range<Int>
    ) -> (number: Int, value: Range<Int>)? {
        guard line.has(key, at: range.lowerBound) else { return nil }
        var index = range.lowerBound + key.utf8CodeUnitCount
        var number = 0
        while index < range.upperBound, 0x30...0x39 ~= line[index] {
            number = (number * 10 + Int(line[index] - 0x30)) % 1_000_000_000
            index += 1
        }
        guard let sign = line.trimmed(index..<range.upperBound).first,
            line[sign] == UInt8(ascii: "=")
        else { return nil }
        return (number, line.trimmed(sign + 1..<range.upperBound))
    }
}
