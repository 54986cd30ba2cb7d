import Foundation

/// The request in resume data, which `undersong-transferd` has made.
struct ResumedRequest: Sendable {
    /// The data as a text.
    let text: String
    /// Nil if the data is something else.
    let request: URLRequest?

    private struct Contents: Decodable {
        struct Field: Decodable {
            let name: String
            let value: String
        }

        let original: String
        let fields: [Field]
    }

    init(_ data: Data) {
        text = String(decoding: data, as: UTF8.self)
        guard let contents = try? JSONDecoder().decode(Contents.self, from: data),
            let url = URL(string: contents.original)
        else {
            request = nil
            return
        }
        var request = URLRequest(url: url)
        request.fields = contents.fields.map { RequestField(name: $0.name, value: $0.value) }
        self.request = request
    }
}
