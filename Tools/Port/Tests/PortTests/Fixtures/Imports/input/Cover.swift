#if os(iOS)
    import UIKit
#endif
import Foundation // For the session.

/// Downloads the picture of an album.
final class Cover {
    private let session: URLSession

    init(session: URLSession = .shared) { self.session = session }

    func data(from url: URL) async throws -> Data {
        try await session.data(for: URLRequest(url: url)).0
    }
}
