import Foundation
import TestSupport
import Testing
import UndersongBase

@testable import UndersongControl

@Suite(.blockingThreads) struct `A server that stops` {
    @Test
    func `A server that stops sends what is waiting, closes connections, and stops listening`()
        throws
    {
        let service = try TestService()
        let client = try RawClient(service.path)
        _ = client.greet()
        let connection = try #require(service.handler.opened.next())
        for number in 0..<500 {
            connection.deliver(.event(number), subscription: 1, isDroppable: true)
        }

        let waiting = connection.waiting
        service.server.stop(within: 20) { service.handler.methods.put("stopped") }

        #expect(waiting > 0)
        let isComplete = (0..<500).allSatisfy { _ in client.line() != nil }
        #expect(isComplete)
        #expect(client.isClosed)
        #expect(service.handler.methods.next() == "hello")
        #expect(service.handler.methods.next() == "stopped")
        #expect(service.handler.closed.next()?.closingReason == "The service is ending")
        #expect(!ControlSocket.answers(service.path))
    }

    @Test func `A server may be stopped more than once`() throws {
        let service = try TestService()
        let outcomes = Mailbox<Bool>()

        DispatchQueue.concurrentPerform(iterations: 8) { _ in service.server.stop(within: 0) }
        service.server.stop(within: 0)
        service.server.stopIfUnused(
            ControlSocket(session: "default", runtimeFolder: service.folder.path)
        ) { outcomes.put($0) }

        #expect(outcomes.next() == true)
    }

    @Test func `A server that stops waits a limited time for clients that do not read`() throws {
        let service = try TestService()
        let client = try RawClient(service.path)
        _ = client.greet()
        let connection = try #require(service.handler.opened.next())
        for number in 0..<500 {
            connection.deliver(.event(number), subscription: 1, isDroppable: true)
        }
        let clock = ContinuousClock()

        let time = clock.measure { service.server.stop(within: 0.1) }

        #expect(time >= .milliseconds(100))
        #expect(time < .seconds(5))
        #expect(service.handler.closed.next() == connection)
    }

    @Test func `A server that stops answers earlier requests`() throws {
        let service = try TestService()
        let client = try service.client()
        let answers = Mailbox<String>()
        client.send(Later()) { answers.put((try? $0.get().text) ?? "failed") }
        let reply = try #require(service.handler.waiting.next())

        service.server.stop(within: 20) { service.handler.methods.put("stopped") }
        try waitUntil { !ControlSocket.answers(service.path) }
        reply(.success(ControlReply(Echo("last"))))

        #expect(answers.next() == "last")
        #expect(service.handler.methods.next() == "hello")
        #expect(service.handler.methods.next() == "stopped")
    }

    @Test func `An unused server does not stop while a client is connected`() throws {
        let service = try TestService()
        let (client, _) = try service.pair()
        let outcomes = Mailbox<Bool>()
        let folder = service.folder.path

        service.server.stopIfUnused(ControlSocket(session: "default", runtimeFolder: folder)) {
            outcomes.put($0)
        }

        #expect(outcomes.next() == false)
        #expect(try client.call(Echo("x")).text == "x")
        client.close()
        _ = service.handler.closed.next()
        service.server.stopIfUnused(ControlSocket(session: "default", runtimeFolder: folder)) {
            outcomes.put($0)
        }
        #expect(outcomes.next() == true)
        #expect(!ControlSocket.answers(service.path))
        #expect(access(service.path, F_OK) != 0)
    }

    @Test func `An unused server that stops leaves a socket that systemd listens on`() throws {
        let service = try TestService()
        let outcomes = Mailbox<Bool>()

        service.server.stopIfUnused(
            ControlSocket(session: "default", runtimeFolder: service.folder.path), keepsSocket: true
        ) { outcomes.put($0) }

        #expect(outcomes.next() == true)
        #expect(access(service.path, F_OK) == 0)
    }

    @Test func `An unused server that stops notices clients that are not accepted yet`() throws {
        let folder = try TemporaryFolder()
        let listener = try ControlSocket(session: "x", runtimeFolder: folder.path).listen()
        let server = ControlServer(listener: listener, handler: TestHandler(), clock: SystemClock())
        let outcomes = Mailbox<Bool>()
        server.stopIfUnused(ControlSocket(session: "x", runtimeFolder: folder.path)) {
            outcomes.put($0)
        }
        let path = ControlSocket(session: "x", runtimeFolder: folder.path).path
        let client = try ControlClient(socket: path, name: "test")

        server.start()

        #expect(outcomes.next() == false)
        #expect(try client.call(Echo("x")).text == "x")
        server.stop(within: 0)
    }
}
