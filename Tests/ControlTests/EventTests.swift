import Foundation
import Testing
import UndersongBackground
import UndersongBase

@testable import UndersongControl

@Suite struct `The events of a connection` {
    @Test func `Events arrive in order, between replies and notices`() throws {
        let service = try TestService()
        defer { service.stop() }
        let notices = Mailbox<ControlNoticeMessage>()
        let (client, connection) = try service.pair(onNotice: { notices.put($0) })

        connection.deliver(Array(#"{"n":1}"#.utf8), subscription: 3, isDroppable: true)
        connection.notify(TaskTerminated(task: 9))
        connection.deliver(Array(#"{"n":2}"#.utf8), subscription: 4, isDroppable: false)

        let event = try #require(notices.next()).decode(Delivery<[String: Int]>.self)
        #expect(event.subscription == 3)
        #expect(event.missed == nil)
        #expect(event.data == ["n": 1])
        let notice = try #require(notices.next())
        #expect(notice.method == "task.terminated")
        #expect(try notice.decode(TaskTerminated.self).task == 9)
        let last = try #require(notices.next()).decode(Delivery<[String: Int]>.self)
        #expect(last.data == ["n": 2])
        client.close()
    }

    @Test func `Events reach each of many connections, in order`() throws {
        let service = try TestService()
        defer { service.stop() }
        let received = (0..<20).map { _ in Mailbox<Int>() }
        var clients: [ControlClient] = []
        var subscribers: [ControlSubscriber] = []
        for mailbox in received {
            let (client, connection) = try service.pair(onNotice: { mailbox.put($0.number ?? -1) })
            clients.append(client)
            subscribers.append(ControlSubscriber(connection: connection, subscription: 1))
        }

        for number in 0..<200 {
            service.server.deliver(.event(number), to: subscribers, isDroppable: true)
            if number % 10 == 0 {
                for subscriber in subscribers {
                    subscriber.connection.deliver(.event(1000), subscription: 1, isDroppable: true)
                    subscriber.connection.notify(TaskTerminated(task: 2000))
                }
            }
        }

        let expected = (0..<200).flatMap { $0 % 10 == 0 ? [$0, 1000, 2000] : [$0] }
        let isComplete = received.allSatisfy { mailbox in
            expected.map { _ in mailbox.next() } == expected
        }
        #expect(isComplete)
        _ = clients
    }

    @Test func `Events are sent together before too many of them wait`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()
        let connection = try #require(service.handler.opened.next())
        let event = [UInt8](repeating: 0x20, count: 4000)

        let calls = (0..<100).count { _ in
            connection.sendNow(event, subscription: 1, isDroppable: true, isPosting: true)
        }
        connection.sendPosted()

        #expect((1..<100).contains(calls))
        let isComplete = (0..<100).allSatisfy { _ in client.line()?.contains("missed") == false }
        #expect(isComplete)
    }

    @Test func `Events missed by a slow reader are counted for it, and delay nobody`() throws {
        let service = try TestService()
        defer { service.stop() }
        let received = Mailbox<Int>()
        let slow = try RawClient(service.path)
        _ = slow.greet()
        let blocked = try #require(service.handler.opened.next())
        let (client, quick) = try service.pair(onNotice: { received.put($0.number ?? -1) })

        for number in 0..<5000 {
            for connection in [blocked, quick] {
                connection.deliver(.event(number), subscription: 1, isDroppable: true)
            }
            if number % 100 == 99 { _ = try client.call(Echo("keeps up")) }
        }
        let isComplete = (0..<5000).allSatisfy { received.next() == $0 }
        let waiting = blocked.waiting
        var (next, missed, lines) = (0, 0, 0)
        var isInOrder = true
        while next < 5001, let line = slow.line() {
            let event = ControlNoticeMessage(method: "event", line: Array(line.utf8)).event
            let number = event?.data.number ?? -1
            missed += event?.missed ?? 0
            lines += 1
            isInOrder = isInOrder && number == next + (event?.missed ?? 0)
            next = number + 1
            // Everything that waited is read: the next one reports what was dropped after it.
            if blocked.waiting == 0, next < 5000 {
                blocked.deliver(.event(5000), subscription: 1, isDroppable: true)
            }
        }

        #expect(isComplete)
        #expect((1...262_144).contains(waiting))
        #expect(isInOrder)
        #expect(missed > 1000)
        #expect(lines + missed == 5001)
    }

    @Test func `Events that must not be dropped end the connection of a client that never reads`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()
        let connection = try #require(service.handler.opened.next())

        for number in 0..<5000 {
            connection.deliver(.event(number), subscription: 1, isDroppable: false)
        }

        let closed = try #require(service.handler.closed.next())
        #expect(closed == connection)
        #expect(closed.closingReason == "The client does not read its events")
        let other = try service.client()
        #expect(try other.call(Echo("x")).text == "x")
    }

    @Test func `Events end with the connection`() throws {
        let service = try TestService()
        defer { service.stop() }
        let closings = Mailbox<ControlError.Code>()
        let (client, connection) = try service.pair(onClose: { closings.put($0.code) })

        connection.close(reason: "enough")
        connection.deliver(.event(1), subscription: 1, isDroppable: true)

        #expect(service.handler.closed.next()?.closingReason == "enough")
        #expect(closings.next() == .unavailable)
        #expect(throws: ControlError.self) { try client.call(Echo("x")) }
    }

    @Test func `Events and replies wait for a client that floods the service without reading`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        let other = try service.client()
        let client = try RawClient(service.path)
        _ = client.greet()
        let text = String(repeating: "x", count: 900)

        let sent = client.flood(
            #"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"\#(text)"}}"#)

        #expect((100..<2000).contains(sent))
        #expect(try other.call(Echo("x")).text == "x")
        let answers = (0..<sent).filter { _ in client.line()?.hasSuffix(#"x"}}"#) == true }
        #expect(answers.count == sent)
    }
}

extension [UInt8] {
    /// A numbered event of 300 bytes.
    static func event(_ number: Int) -> [UInt8] {
        let digits = "\(number)"
        let filler = String(repeating: "x", count: 280 - digits.utf8.count)
        return Array("{\"number\":\(digits),\"x\":\"\(filler)\"}".utf8)
    }
}

/// The values that `event(_:)` encodes.
private struct Numbered: Codable {
    var number: Int
}

extension ControlNoticeMessage {
    fileprivate var event: Delivery<Numbered>? { try? decode(Delivery<Numbered>.self) }

    /// The number of an `event`, or of a task.
    fileprivate var number: Int? {
        method == "event" ? event?.data.number : (try? decode(TaskTerminated.self))?.task
    }
}
