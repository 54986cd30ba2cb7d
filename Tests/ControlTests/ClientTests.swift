import Foundation
import Testing
import UndersongBase

@testable import UndersongControl

@Suite struct `A client` {
    @Test func `A client greets the service with the first bytes that it sends`() throws {
        // The other end of such a socket sees each write separately.
        let (client, service) = try pair(SOCK_SEQPACKET)

        client.together {
            client.send(Echo("1"))
            client.send(Echo("2"))
        }

        #expect(
            service.chunk() == """
                {"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"test","protocol":1}}
                {"jsonrpc":"2.0","id":2,"method":"echo","params":{"text":"1"}}
                {"jsonrpc":"2.0","id":3,"method":"echo","params":{"text":"2"}}

                """)
    }

    @Test func `A client fails all calls with the reason if it is refused`() throws {
        let (client, service) = try pair()
        let failures = Mailbox<ControlError.Code?>()

        client.send(Echo("1")) { failures.put($0.failure?.code) }
        service.reply(
            #"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"cannot talk"}}"# + "\n"
                + #"{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"no hello"}}"# + "\n")

        #expect(failures.next() == .versionMismatch)
        let error = #expect(throws: ControlError.self) { try client.call(Echo("2")) }
        #expect(error?.code == .versionMismatch)
    }

    @Test func `A client fails pending calls, once, when the service goes away`() throws {
        let closings = Mailbox<ControlError.Code>()
        var (client, service): (ControlClient, Peer?) = try pair(onClose: { closings.put($0.code) })
        let failures = Mailbox<ControlError.Code?>()
        for _ in 0..<3 { client.send(Later()) { failures.put($0.failure?.code) } }

        service = nil

        #expect((0..<3).map { _ in failures.next() } == [.unavailable, .unavailable, .unavailable])
        #expect(closings.next() == .unavailable)
        let error = #expect(throws: ControlError.self) { try client.call(Echo("x")) }
        #expect(error?.code == .unavailable)
        client = try pair().client
        #expect(closings.count == 0)
        #expect(failures.count == 0)
        _ = service
    }

    @Test func `A client fails pending calls when it disconnects`() throws {
        let (client, service) = try pair()
        let failures = Mailbox<ControlError.Code?>()
        client.send(Later()) { failures.put($0.failure?.code) }

        client.close()

        #expect(failures.next() == .unavailable)
        _ = service
    }

    @Test func `A client reports that no service listens`() throws {
        let folder = try TemporaryFolder()

        let error = #expect(throws: ControlError.self) {
            try ControlClient(socket: folder.path + "/none", name: "test")
        }

        #expect(error?.code == .unavailable)
        #expect(
            error?.message
                == "cannot communicate with a service: No service listens at \(folder.path)/none")
    }

    @Test func `A client sends more than fits into the socket, and waits only for the reply`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let answers = Mailbox<Int>()
        let long = String(repeating: "x", count: 700_000)

        for _ in 0..<5 { client.send(Echo(long)) { answers.put((try? $0.get().text.count) ?? 0) } }

        #expect(
            (0..<5).map { _ in answers.next() } == [700_000, 700_000, 700_000, 700_000, 700_000])
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"event","params":{"subscription":3,"missed":2,"data":{"n":1}}}"#,
        #"{"params":{"data":{"n":1},"missed":2,"subscription":3},"method":"event","jsonrpc":"2.0"}"#,
        #" { "jsonrpc" : "2.0" , "method" : "event" , "params" : { "subscription" : 3 ,"#
            + #" "missed" : 2 , "data" : { "n" : 1 } } } "# + "\r",
        #"{"jsonrpc":"2.0","method":"event","new":[{}],"params":"#
            + #"{"x":null,"subscription":3,"new":"}}","missed":2,"data":{"y":"\"","n":1},"z":{}}}"#,
        #"{"jsonrpc":"2.0","method":"\u0065vent","params":"#
            + #"{"subscription":3,"missed":2,"data":{"\u006e":1}}}"#,
    ])
    func `A client reads a notice in any form that JSON-RPC allows`(line: String) throws {
        let notices = Mailbox<ControlNoticeMessage>()
        let (client, service) = try pair(onNotice: { notices.put($0) })
        client.send(Later())

        service.reply(line + "\n")

        let notice = try #require(notices.next())
        #expect(notice.method == "event")
        let event = try notice.decode(Delivery<Number>.self)
        #expect(event.subscription == 3)
        #expect(event.missed == 2)
        #expect(event.data.n == 1)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":2,"result":{"text":"x"}}"#,
        #"{ "result" : { "text" : "x" }, "new" : 1, "id" : 2, "jsonrpc" : "2.0" }"#,
    ])
    func `A client reads a reply in any form that JSON-RPC allows`(line: String) throws {
        let (client, service) = try pair()
        let answers = Mailbox<String?>()
        client.send(Echo("1")) { answers.put(try? $0.get().text) }

        service.reply(line + "\n")

        #expect(answers.next() == "x")
    }

    @Test func `A client ignores anything that is not JSON-RPC`() {
        let lines = [
            "", "{", "7", "[]", #"{"method":"event","params":{}}"#,
            #"{"jsonrpc":"1.0","method":"event"}"#, #"{"jsonrpc":"2.0"}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
            #"{"jsonrpc":"2.0","method":"event"#,
        ]
        for line in lines { #expect(ServiceLine(Array(line.utf8)) == .other) }
    }

    /// Creates a client, and the other end of its socket.
    private func pair(
        _ kind: __socket_type = SOCK_STREAM,
        onNotice: @escaping @Sendable (ControlNoticeMessage) -> Void = { _ in },
        onClose: @escaping @Sendable (ControlError) -> Void = { _ in }
    ) throws -> (client: ControlClient, service: Peer) {
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(kind.rawValue), 0, &ends)
        let client = ControlClient(
            descriptor: ends[0], name: "test", onNotice: onNotice, onClose: onClose)
        return (client, Peer(ends[1]))
    }
}

private struct Number: Codable, Sendable {
    var n: Int
}

/// The service's end of a client's socket.
private final class Peer {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The bytes of one write.
    func chunk() -> String {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    func reply(_ text: String) { _ = write(descriptor, text, text.utf8.count) }
}
