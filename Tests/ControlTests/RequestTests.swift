import Foundation
import Synchronization
import Testing
import UndersongBackground

@testable import UndersongControl

@Suite struct `Requests` {
    @Test func `Requests get the service's reply`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()

        let hello = try client.call(Hello(client: "again"))
        let echo = try client.call(Echo("ä\n\"\u{2028}"))

        #expect(hello.version == "0.5")
        #expect(echo.text == "ä\n\"\u{2028}")
    }

    @Test func `Requests of one connection are answered in order, however long one needs`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let answers = Mailbox<String>()

        client.send(Later()) { answers.put((try? $0.get().text) ?? "failed") }
        for number in 1...100 {
            client.send(Echo("\(number)")) { answers.put((try? $0.get().text) ?? "failed") }
        }
        let reply = try #require(service.handler.waiting.next())
        reply(.success(ControlReply(Echo("0"))))

        let order = (0...100).map { _ in answers.next() }
        let isInOrder = order == (0...100).map { "\($0)" }
        #expect(isInOrder)
    }

    @Test func `Requests do not wait for those of other connections`() throws {
        let service = try TestService()
        defer { service.stop() }
        let (slow, other) = (try service.client(), try service.client())
        let answers = Mailbox<String>()
        slow.send(Later()) { answers.put((try? $0.get().text) ?? "failed") }
        let reply = try #require(service.handler.waiting.next())

        let quick = try other.call(Echo("quick"))

        #expect(quick.text == "quick")
        #expect(answers.count == 0)
        reply(.success(ControlReply(Echo("slow"))))
        #expect(answers.next() == "slow")
    }

    @Test func `Requests may be answered on any thread, and only once`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()
        client.send(#"{"jsonrpc":"2.0","id":1,"method":"later"}"#)
        let reply = try #require(service.handler.waiting.next())

        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            reply(.success(ControlReply(Echo("once"))))
        }

        client.send(#"{"jsonrpc":"2.0","id":2,"method":"echo","params":{"text":"next"}}"#)
        #expect(client.line() == #"{"jsonrpc":"2.0","id":1,"result":{"text":"once"}}"#)
        #expect(client.line() == #"{"jsonrpc":"2.0","id":2,"result":{"text":"next"}}"#)
    }

    @Test func `Requests get an error if the service drops them`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let answers = Mailbox<ControlError.Code?>()

        client.send(Later()) { answers.put($0.failure?.code) }
        _ = service.handler.waiting.next()

        #expect(answers.next() == .internalError)
    }

    @Test func `Requests get an error if the reply cannot be encoded as JSON`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let answers = Mailbox<String?>()
        client.send(Later()) { answers.put($0.failure?.message) }

        service.handler.waiting.next()?(
            .success(ControlReply(GetTaskTime.Reply(timeRemaining: .infinity))))

        #expect(answers.next()??.hasPrefix("cannot write the answer: ") == true)
    }

    @Test func `A request without an id is handled and not answered`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()

        client.send(#"{"jsonrpc":"2.0","method":"echo","params":{"text":"silent"}}"#)
        client.send(#"{"jsonrpc":"2.0","method":"unknown"}"#)
        client.send(#"{"jsonrpc":"2.0","id":"a\"b","method":"echo","params":{"text":"x"}}"#)

        #expect(client.line() == #"{"jsonrpc":"2.0","id":"a\"b","result":{"text":"x"}}"#)
        #expect(
            (0..<4).map { _ in service.handler.methods.next() }
                == ["hello", "echo", "unknown", "echo"])
    }

    @Test func `Requests are handled even if the client has disconnected after them`() throws {
        let service = try TestService()
        defer { service.stop() }
        var client: RawClient? = try RawClient(service.path)
        _ = client?.greet()

        client?.send(#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"x"}}"#)
        client = nil

        #expect((0..<2).map { _ in service.handler.methods.next() } == ["hello", "echo"])
        #expect(service.handler.closed.next() != nil)
    }

    @Test func `Requests are answered before a client that has stopped sending is disconnected`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()

        client.send(#"{"jsonrpc":"2.0","id":1,"method":"later"}"#)
        shutdown(client.descriptor, Int32(SHUT_WR))
        service.handler.waiting.next()?(.success(ControlReply(Echo("x"))))

        #expect(client.line() == #"{"jsonrpc":"2.0","id":1,"result":{"text":"x"}}"#)
        #expect(client.isClosed)
    }

    @Test
    func `Requests that wait for a reply do not keep the connection of a client that is gone`()
        throws
    {
        let service = try TestService()
        defer { service.stop() }
        var client: RawClient? = try RawClient(service.path)
        _ = client?.greet()
        client?.send(#"{"jsonrpc":"2.0","id":1,"method":"later"}"#)
        let reply = service.handler.waiting.next()

        client = nil

        #expect(service.handler.closed.next()?.closingReason == "The client has closed it")
        reply?(.success(ControlReply(Echo("late"))))
    }
}

extension Result {
    /// The error, if it is one.
    var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
