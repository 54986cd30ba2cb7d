public import Foundation
public import UndersongUIKit

/// An item's picture.
public final class MPMediaItemArtwork: NSObject, @unchecked Sendable {
    // Sendable: both properties are constant, and Apple too calls the handler on any thread.
    private let size: CGSize
    private let handler: (CGSize) -> UIImage

    /// The announced size of the picture, at the origin.
    public var bounds: CGRect { CGRect(origin: CGPoint(x: 0, y: 0), size: size) }

    /// Creates a picture from a handler, which is passed a size but may return any: nothing here
    /// scales. It may be called on any thread.
    public init(boundsSize: CGSize, requestHandler: @escaping (CGSize) -> UIImage) {
        size = boundsSize
        handler = requestHandler
    }

    /// Creates a picture with the size of the image.
    public convenience init(image: UIImage) {
        self.init(boundsSize: image.size) { _ in image }
    }

    /// The picture at about `size`.
    public func image(at size: CGSize) -> UIImage? { handler(size) }
}
