import Foundation
import Testing

@testable import UndersongService

@Suite struct `The methods of the socket` {
    @Test func `are those of the schema, each once`() throws {
        let file = URL(filePath: #filePath)
            .appending(path: "../../../Documentation/protocol/control.schema.json")
            .standardizedFileURL
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let request = definitions["request"]?["properties"] as? [String: [String: Any]]

        let names = WireMethod.all.map(\.name)

        #expect(names.sorted() == (request?["method"]?["enum"] as? [String])?.sorted())
    }
}
