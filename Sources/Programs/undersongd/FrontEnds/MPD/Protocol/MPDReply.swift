/// The answer to a command, as lines `Name: value`, without the line that ends it.
struct MPDReply {
    private(set) var bytes: [UInt8] = []

    /// Adds a line. A line feed, a carriage return or a NUL in the value becomes a blank, so that no
    /// value can begin another line.
    mutating func add(_ name: StaticString, _ value: String) {
        add(name: name.description, value)
    }

    /// Adds a line whose name is a tag's.
    mutating func add(name: String, _ value: String) {
        bytes += Self.safe(name)
        bytes += [0x3a, 0x20]
        bytes += Self.safe(value)
        bytes.append(0x0a)
    }

    /// Adds a line with a number.
    mutating func add(_ name: StaticString, _ value: Int) {
        bytes += Array("\(name): \(value)\n".utf8)
    }

    /// Adds a line with 1 or 0.
    mutating func add(_ name: StaticString, _ value: Bool) { add(name, value ? 1 : 0) }

    /// Adds a line with seconds to the millisecond.
    mutating func add(_ name: StaticString, seconds: Double) {
        add(name, Self.decimal(seconds))
    }

    /// Adds a chunk of binary data.
    mutating func add(binary data: some Collection<UInt8>) {
        add("binary", data.count)
        bytes += data
        bytes.append(0x0a)
    }

    /// Adds the end of a successful command within a list.
    mutating func addListOK() { bytes += Array("list_OK\n".utf8) }

    /// Adds lines that are complete.
    mutating func add(lines: [UInt8]) { bytes += lines }

    /// Seconds as a whole number.
    static func whole(_ seconds: Double) -> Int { Int(reasonable(seconds).rounded()) }

    /// The seconds, if they are a number from 0 to what a file can be long.
    private static func reasonable(_ seconds: Double) -> Double {
        seconds > 0 ? min(seconds, 1e12) : 0
    }

    /// Seconds with three decimals.
    static func decimal(_ seconds: Double) -> String {
        let thousandths = Int((reasonable(seconds) * 1000).rounded())
        let rest = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// The text without what would end a line.
    static func safe(_ text: String) -> [UInt8] {
        text.utf8.map { [0x0a, 0x0d, 0].contains($0) ? 0x20 : $0 }
    }
}
