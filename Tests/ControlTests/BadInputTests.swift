import Foundation
import Testing

@testable import UndersongControl

/// Input that no client should send, and the expected response.
struct BadInput: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    /// The code of the error.
    var code: Int
    /// The id in the response, as JSON.
    var id = "null"
    /// True if it ends the connection.
    var isFatal = false

    var testDescription: String { name }

    init(_ name: String, _ line: String, _ code: Int, id: String = "null", isFatal: Bool = false) {
        self.init(name, bytes: Array((line + "\n").utf8), code, id: id, isFatal: isFatal)
    }

    init(
        _ name: String, bytes: [UInt8], _ code: Int, id: String = "null", isFatal: Bool = false
    ) {
        (self.name, self.bytes, self.code) = (name, bytes, code)
        (self.id, self.isFatal) = (id, isFatal)
    }

    static let all: [BadInput] = [
        BadInput("no JSON", "play it again", -32700, isFatal: true),
        BadInput("half an object", #"{"jsonrpc":"2.0","#, -32700, isFatal: true),
        BadInput(
            "no UTF-8", bytes: Array(#"{"a":""#.utf8) + [0xff, 0x22, 0x7d, 0x0a], -32700,
            isFatal: true),
        BadInput(
            "UTF-16", bytes: Array("{}".utf8).flatMap { [$0, 0] } + [0x0a], -32700, isFatal: true),
        BadInput(
            "a hundred thousand levels", String(repeating: "[", count: 100_000), -32700,
            isFatal: true),
        BadInput(
            "a thousand levels",
            String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000), -32700,
            isFatal: true),
        BadInput(
            "a line that is too long", String(repeating: " ", count: 200_000), -32600,
            isFatal: true),
        BadInput("a batch", #"[{"jsonrpc":"2.0","id":1,"method":"echo"}]"#, -32600),
        BadInput("a number", "5", -32600),
        BadInput("null", "null", -32600),
        BadInput("no members", "{}", -32600),
        BadInput("an older JSON-RPC", #"{"id":3,"method":"echo","params":["x"]}"#, -32600, id: "3"),
        BadInput("no method", #"{"jsonrpc":"2.0","id":"x"}"#, -32600, id: "\"x\""),
        BadInput("a method by number", #"{"jsonrpc":"2.0","id":4,"method":4}"#, -32600, id: "4"),
        BadInput("an object for an id", #"{"jsonrpc":"2.0","id":{},"method":"echo"}"#, -32600),
        BadInput(
            "an unknown method", #"{"jsonrpc":"2.0","id":5,"method":"sing"}"#, -32601, id: "5"),
        BadInput("no parameters", #"{"jsonrpc":"2.0","id":6,"method":"echo"}"#, -32602, id: "6"),
        BadInput(
            "parameters by place", #"{"jsonrpc":"2.0","id":7,"method":"echo","params":["x"]}"#,
            -32602, id: "7"),
        BadInput(
            "a parameter of another type",
            #"{"jsonrpc":"2.0","id":8,"method":"echo","params":{"text":8}}"#, -32602, id: "8"),
        BadInput(
            "descriptors that did not come",
            #"{"jsonrpc":"2.0","id":9,"method":"echo","params":{"text":""},"descriptors":1}"#,
            -32602, id: "9"),
        BadInput(
            "less than no descriptors",
            #"{"jsonrpc":"2.0","id":10,"method":"echo","params":{"text":""},"descriptors":-1}"#,
            -32602, id: "10"),
        BadInput(
            "hello of another version",
            #"{"jsonrpc":"2.0","id":11,"method":"hello","params":{"protocol":2,"client":""}}"#, 3,
            id: "11"),
    ]
}

@Suite struct `Bad input` {
    @Test(arguments: BadInput.all)
    func `Bad input is an error or a disconnect for its sender, and affects nobody else`(
        input: BadInput
    ) throws {
        let service = try TestService(limits: ControlServer.Limits(line: 150_000))
        defer { service.stop() }
        let other = try service.client()
        let client = try RawClient(service.path)
        _ = client.greet()

        client.send(bytes: input.bytes)

        let answer = try #require(client.line())
        #expect(
            answer.hasPrefix(#"{"jsonrpc":"2.0","id":\#(input.id),"error":{"code":\#(input.code),"#)
        )
        if input.isFatal {
            #expect(client.isClosed)
        } else {
            client.send(#"{"jsonrpc":"2.0","id":12,"method":"echo","params":{"text":"on"}}"#)
            #expect(client.line() == #"{"jsonrpc":"2.0","id":12,"result":{"text":"on"}}"#)
        }
        #expect(try other.call(Echo("x")).text == "x")
    }
}
