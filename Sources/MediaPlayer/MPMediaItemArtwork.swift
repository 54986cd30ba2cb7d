public import Foundation
public import UIKit

/// An item's picture.
public final class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    // Sendable: both are constant, and Apple too calls the handler from any thread.
    private let size: CGSize
    private let handler: (CGSize) -> UIImage

    /// The size of the picture that was announced, at the origin.
    public var bounds: CGRect { CGRect(origin: CGPoint(x: 0, y: 0), size: size) }

    /// Makes a picture that `requestHandler` gives at the size that it is called with, or any other:
    /// nothing here scales. It may be called on any thread.
    public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
        size = boundsSize
        handler = requestHandler
    }

    /// Makes a picture of the image's size.
    public convenience init(image: UIImage) {
        self.init(boundsSize: image.size) { _ in image }
    }

    /// The picture at about `size`.
    public func image(at size: CGSize) -> UIImage? { handler(size) }
}
