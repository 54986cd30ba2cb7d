#if os(iOS) || os(Linux)
    import UIKit
#endif
import Foundation // For the session.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads the picture of an album.
final class Cover {
    private let session: URLSession

    init(session: URLSession = .shared) { self.session = session }

    func data(from url: URL) async throws -> Data {
        try await session.data(for: URLRequest(url: url)).0
    }
}
