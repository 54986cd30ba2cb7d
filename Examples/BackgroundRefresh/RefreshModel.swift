import Foundation

/// The time of the last refresh, which survives the process.
final class RefreshModel: Sendable {
    private let file: URL

    init(file: URL) { self.file = file }

    /// The content of a screen.
    var lastRefresh: String {
        (try? String(contentsOf: file, encoding: .utf8)) ?? "Not yet updated"
    }

    func refresh() {
        let formatter = DateFormatter()
        formatter.dateStyle = .short
        formatter.timeStyle = .long
        do {
            try formatter.string(from: Date()).write(to: file, atomically: true, encoding: .utf8)
            print("refresh occurred")
        } catch {
            print("Cannot keep the time of the refresh: \(error)")
        }
    }
}
