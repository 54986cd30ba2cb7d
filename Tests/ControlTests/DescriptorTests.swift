import Foundation
import Testing

@testable import UndersongControl

@Suite struct `Descriptors` {
    @Test func `Descriptors arrive with the request that they were sent with`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let (first, third) = (TestPipe(), TestPipe())

        client.together {
            client.send(WriteTo(text: "one"), descriptors: [first.writer])
            client.send(WriteTo(text: "two"))
            client.send(WriteTo(text: "three"), descriptors: [third.writer, third.writer])
        }
        _ = try client.call(Echo("done"))

        #expect(fcntl(first.writer, F_GETFD) >= 0)
        #expect(first.contents() == "one")
        #expect(third.contents() == "threethree")
    }

    @Test func `Descriptors are closed if nobody wants them`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let pipe = TestPipe()

        _ = try client.call(Echo("x"), descriptors: [pipe.writer])

        #expect(pipe.contents() == "")
    }

    @Test func `Descriptors are closed if they come with a refused request`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        let pipe = TestPipe()

        client.send(
            #"{"jsonrpc":"2.0","id":1,"method":"echo","descriptors":1}"# + "\n",
            descriptors: [pipe.writer])

        #expect(pipe.contents() == "")
        #expect(client.line()?.contains("-32600") == true)
    }

    @Test func `Descriptors are closed with the connection if they come with garbage`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        let pipe = TestPipe()

        client.send("\u{1}\n", descriptors: [pipe.writer, pipe.writer])

        #expect(pipe.contents() == "")
        #expect(client.line()?.contains("-32700") == true)
        #expect(client.isClosed)
    }

    @Test func `Descriptors are closed when the client goes while they wait for a line`() throws {
        let service = try TestService()
        defer { service.stop() }
        var client: RawClient? = try RawClient(service.path)
        let pipe = TestPipe()

        client?.send("{", descriptors: [pipe.writer])
        client = nil

        #expect(pipe.contents() == "")
    }

    @Test(arguments: [17, 200])
    func `Too many descriptors end the connection`(count: Int) throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try RawClient(service.path)
        _ = client.greet()
        let pipe = TestPipe()

        let copies = [Int32](repeating: pipe.writer, count: count)
        client.send(" ", descriptors: Array(copies.prefix(10)))
        client.send(" ", descriptors: Array(copies.dropFirst(10)))

        #expect(pipe.contents() == "")
        #expect(service.handler.closed.next() != nil)
    }

    @Test func `Descriptors that are not open fail only the call that they were passed to`() throws
    {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()

        let error = #expect(throws: ControlError.self) {
            try client.call(Echo("x"), descriptors: [-1])
        }

        #expect(error?.code == .invalidParams)
        #expect(try client.call(Echo("x")).text == "x")
    }

    @Test func `Descriptors still belong to the caller if they could not be sent at once`() throws {
        let service = try TestService()
        defer { service.stop() }
        let client = try service.client()
        let (first, second) = (TestPipe(), TestPipe())

        client.together {
            client.send(Echo(String(repeating: "x", count: 2_000_000)))
            client.send(WriteTo(text: "late"), descriptors: [first.writer])
            first.closeWriter()
        }
        client.send(WriteTo(text: "later"), descriptors: [second.writer])

        #expect(first.contents() == "late")
        #expect(second.contents() == "later")
    }
}
