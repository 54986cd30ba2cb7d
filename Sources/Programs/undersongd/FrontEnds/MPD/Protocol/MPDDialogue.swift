/// The state of a conversation: what a line means depends on the lines before it.
struct MPDDialogue {
    /// The most bytes of a list of commands.
    static let mostListed = 2 * 1024 * 1024

    /// The lines to perform together.
    struct Batch: Equatable {
        var lines: [[UInt8]]
        /// True to report each success.
        var reportsEach = false
    }

    /// The consequence of a line.
    enum Step: Equatable {
        /// Nothing until the next line.
        case wait
        /// Send this.
        case send([UInt8])
        /// Perform these.
        case perform(Batch)
        /// The client does not speak the protocol, or not as it is: close the connection.
        case close
    }

    /// The list that is being received; nil outside of one.
    private var list: Batch?
    /// The length of its lines.
    private var listedBytes = 0
    /// The subsystems for whose changes the client waits; nil if it does not.
    private var awaited: MPDSubsystems?
    /// The changes of which the client was not informed yet.
    private var changed: MPDSubsystems = []

    /// True while the client waits for changes.
    var isIdle: Bool { awaited != nil }

    /// Handles a line, without the line feed and the blanks at its end.
    mutating func receive(_ line: [UInt8]) -> Step {
        guard let first = line.first, 0x61...0x7a ~= first else { return .close }
        if line == Array("noidle".utf8) {
            guard isIdle else { return .wait }
            awaited = nil
            return .send(Array("OK\n".utf8))
        }
        guard !isIdle else { return .close }
        if list != nil { return addToList(line) }
        switch String(decoding: line, as: UTF8.self) {
        case "command_list_begin": list = Batch(lines: [])
        case "command_list_ok_begin": list = Batch(lines: [], reportsEach: true)
        default: return .perform(Batch(lines: [line]))
        }
        return .wait
    }

    private mutating func addToList(_ line: [UInt8]) -> Step {
        guard line != Array("command_list_end".utf8) else {
            defer { (list, listedBytes) = (nil, 0) }
            return list.map { .perform($0) } ?? .wait
        }
        listedBytes += line.count + 1
        guard listedBytes <= Self.mostListed else { return .close }
        list?.lines.append(line)
        return .wait
    }

    /// Begins to wait for changes of subsystems. Returns the reply if there are some already.
    mutating func idle(_ subsystems: MPDSubsystems) -> [UInt8]? {
        awaited = subsystems
        return answer()
    }

    /// Notes changes. Returns the reply if the client waits for them.
    mutating func note(_ changes: MPDSubsystems) -> [UInt8]? {
        changed.formUnion(changes)
        return answer()
    }

    private mutating func answer() -> [UInt8]? {
        guard let awaited, !changed.isDisjoint(with: awaited) else { return nil }
        var reply = MPDReply()
        for name in changed.intersection(awaited).names { reply.add("changed", name) }
        changed.subtract(awaited)
        self.awaited = nil
        return reply.bytes + Array("OK\n".utf8)
    }
}
