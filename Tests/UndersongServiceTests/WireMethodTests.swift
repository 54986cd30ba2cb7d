import Foundation
import Testing

@testable import UndersongService

@Suite struct `The methods of the socket` {
    private let methods = WireMethod.all.map(\.name).sorted()

    @Test func `The socket's methods are those of the schema, each once`() throws {
        #expect(try methods == names(of: "request").sorted())
    }

    @Test func `The socket's methods and notices are in the tables of control.md`() throws {
        let text = try String(contentsOf: folder.appending(path: "control.md"), encoding: .utf8)
        let listed = text.matches(of: /(?m)^\| `([A-Za-z.]+)` \| \S/).map { String($0.1) }

        #expect(try listed.sorted() == (methods + names(of: "notice")).sorted())
    }

    private let folder = URL(filePath: #filePath)
        .appending(path: "../../../Documentation/protocol").standardizedFileURL

    /// The methods that a definition of the schema allows.
    private func names(of definition: String) throws -> [String] {
        let file = folder.appending(path: "control.schema.json")
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let properties = definitions[definition]?["properties"] as? [String: [String: Any]]
        return try #require(properties?["method"]?["enum"] as? [String])
    }
}
