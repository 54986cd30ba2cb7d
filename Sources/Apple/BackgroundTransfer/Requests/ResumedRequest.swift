import Foundation
import UndersongTransfers

/// The request in resume data, which `undersong-transferd` has made.
struct ResumedRequest: Sendable {
    /// The data as a text.
    let text: String
    /// Nil if the data is something else.
    let request: URLRequest?

    init(_ data: Data) {
        text = String(decoding: data, as: UTF8.self)
        guard let contents = try? JSONDecoder().decode(ResumeData.self, from: data),
            let url = URL(string: contents.original)
        else {
            request = nil
            return
        }
        var request = URLRequest(url: url)
        request.fields = contents.fields
        self.request = request
    }
}
