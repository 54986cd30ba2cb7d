import Testing
import UIKit

@Suite struct `An image` {
    private static let png: [UInt8] = [
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
        0, 0, 2, 88, 0, 0, 1, 0,
    ]
    private static let jpeg: [UInt8] = [
        0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc4, 0, 3, 9,
        0xff, 0xc0, 0, 17, 8, 1, 44, 1, 144, 3, 1, 1,
    ]

    @Test func `An image of nothing has no size`() {
        #expect(UIImage().size == CGSize(width: 0, height: 0))
        #expect(UIImage().data.isEmpty)
    }

    @Test func `An image has the size in its PNG header`() {
        #expect(UIImage(data: Data(Self.png))?.size == CGSize(width: 600, height: 256))
    }

    @Test func `An image has the size in its JPEG frame, after other segments`() {
        let image = UIImage(data: Data(Self.jpeg))

        #expect(image?.size == CGSize(width: 400, height: 300))
        #expect(image?.data == Data(Self.jpeg))
        #expect(image?.scale == 1)
    }

    @Test func `An image is nil without a PNG or JPEG header`() {
        let cut = (0..<Self.jpeg.count - 4).filter {
            UIImage(data: Data(Self.jpeg.prefix($0))) != nil
        }

        #expect(UIImage(data: Data("ID3".utf8)) == nil)
        #expect(UIImage(data: Data(Self.png.prefix(20))) == nil)
        #expect(cut == [])
    }

    @Test func `An image is nil if the file does not exist`() {
        #expect(UIImage(contentsOfFile: "/nowhere/cover.png") == nil)
        #expect(UIImage(named: "nowhere") == nil)
    }

    @Test func `An image is read from a file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
        try Data(Self.png).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let image = UIImage(contentsOfFile: file.path(percentEncoded: false))

        #expect(image?.size == CGSize(width: 600, height: 256))
    }
}
