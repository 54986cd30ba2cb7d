import Testing
import UndersongBase

@testable import UndersongControl

@Suite struct `A connection's outbox` {
    @Test func `An outbox sends lines in order, each event in its envelope`() {
        var outbox = Outbox()

        _ = outbox.append(Array("{1}".utf8), subscription: 7, isDroppable: true)
        outbox.appendReply(Array("reply\n".utf8))
        _ = outbox.append(Array("{2}".utf8), subscription: 8, isDroppable: false)
        _ = outbox.appendNotice(Array("notice\n".utf8))

        #expect(
            outbox.lines == [
                #"{"jsonrpc":"2.0","method":"event","params":{"subscription":7,"data":{1}}}"#,
                "reply",
                #"{"jsonrpc":"2.0","method":"event","params":{"subscription":8,"data":{2}}}"#,
                "notice",
            ])
    }

    @Test(arguments: [1, 2, 3, 10, 76, 77, 1000])
    func `An outbox can be sent in parts of any size`(size: Int) {
        var outbox = Outbox()
        for number in 0..<200 {
            _ = outbox.append(Array("{\(number)}".utf8), subscription: 1, isDroppable: true)
            outbox.appendReply(Array("reply \(number)\n".utf8))
        }
        let whole = outbox.rendered
        let count = outbox.count

        var parts: [UInt8] = []
        while !outbox.isEmpty {
            var buffer = [UInt8](repeating: 0, count: size)
            let length = buffer.withUnsafeMutableBytes { outbox.render(into: $0) }
            let taken = max(1, length / 2)
            parts += buffer.prefix(taken)
            outbox.remove(taken)
        }

        let isEqual = parts == whole
        #expect(isEqual)
        #expect(count == whole.count)
        #expect(outbox.count == 0)
    }

    @Test func `An outbox has limited room, and counts dropped events by subscription`() {
        var outbox = Outbox()
        let event = [UInt8](repeating: 0x20, count: 64 * 1024 - 100)
        let first = (1...4).map { _ in
            outbox.append(event, subscription: 1, isDroppable: true)
        }

        let second =
            (1...4).map {
                outbox.append(event, subscription: $0 % 2 + 1, isDroppable: true)
            } + [outbox.append(event, subscription: 2, isDroppable: true)]
        outbox.remove(outbox.count)
        _ = outbox.append(Array("{}".utf8), subscription: 2, isDroppable: true)
        _ = outbox.append(Array("{}".utf8), subscription: 1, isDroppable: true)
        _ = outbox.append(Array("{}".utf8), subscription: 1, isDroppable: true)

        #expect(first == [.queued, .queued, .queued, .queued])
        #expect(second == [.dropped, .dropped, .dropped, .dropped, .dropped])
        #expect(outbox.missed == [[2: 3], [1: 2], [1: 0]])
    }

    @Test func `An outbox makes room for events that must not be dropped`() {
        var outbox = Outbox()
        let event = Array("{}".utf8) + [UInt8](repeating: 0x20, count: 60 * 1024 - 2)
        for _ in 0..<2 { _ = outbox.append(event, subscription: 1, isDroppable: true) }
        _ = outbox.append(event, subscription: 1, isDroppable: false)
        for _ in 0..<3 { _ = outbox.append(event, subscription: 1, isDroppable: true) }
        outbox.remove(10)

        let verdict = outbox.append(event, subscription: 1, isDroppable: false)

        // The first event was partly sent and stays; 1 was dropped between it and the next that
        // must stay, then one of those that had room, and two that had none.
        #expect(verdict == .queued)
        #expect(outbox.missed == [[1: 0], [1: 1], [1: 3]])
    }

    @Test func `An outbox has room for events next to any reply`() {
        var outbox = Outbox()
        outbox.appendReply([UInt8](repeating: 0x20, count: 3_000_000))

        let verdicts = [
            outbox.append(Array("{}".utf8), subscription: 1, isDroppable: true),
            outbox.append(Array("{}".utf8), subscription: 1, isDroppable: false),
            outbox.appendNotice(Array("{}".utf8)),
        ]
        outbox.remove(outbox.count)
        let event = [UInt8](repeating: 0x20, count: 250_000)
        _ = outbox.append(event, subscription: 1, isDroppable: true)

        #expect(verdicts == [.queued, .queued, .queued])
        #expect(outbox.append(event, subscription: 1, isDroppable: true) == .dropped)
    }

    @Test func `An outbox is full when everything in it must stay`() {
        var outbox = Outbox()
        let event = [UInt8](repeating: 0x20, count: 80 * 1024)

        let verdicts = (1...4).map { _ in
            outbox.append(event, subscription: 1, isDroppable: false)
        }
        let notice = outbox.appendNotice(event)

        #expect(verdicts == [.queued, .queued, .queued, .full])
        #expect(notice == .full)
    }
}

extension Outbox {
    /// All waiting bytes.
    fileprivate var rendered: [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let length = buffer.withUnsafeMutableBytes { render(into: $0) }
        return Array(buffer.prefix(length))
    }

    fileprivate var lines: [String] {
        rendered.split(separator: 0x0a).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The `missed` of each event by subscription, including the partly sent line.
    fileprivate var missed: [[Int: Int]] {
        lines.map { line in
            let head = "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":"
            let whole = line.hasPrefix(head) ? line : String(head.prefix(10)) + line
            let message = ControlNoticeMessage(method: "event", line: Array(whole.utf8))
            let event = try? message.decode(Delivery<Nothing>.self)
            return event.map { [$0.subscription: $0.missed ?? 0] } ?? [:]
        }
    }
}
