import Testing

@testable import UndersongBase

@Suite struct `A path` {
    private let latin: [UInt8] = Array("/music/latin".utf8) + [0xE9] + Array(".mp3".utf8)

    @Test func `A path that is not UTF-8 keeps its bytes and is shown escaped`() {
        let path = FilePath(bytes: latin)

        #expect(path.bytes == latin)
        #expect(path.string == nil)
        #expect("\(path)" == #"/music/latin\xe9.mp3"#)
        #expect(path.lastComponent == #"latin\xe9.mp3"#)
    }

    @Test(
        arguments: [
            ([0xE9], #"\xe9"#), ([0x61, 0xC3], #"a\xc3"#),
            ([0xFF, 0xC3, 0xA9, 0xFE], #"\xffé\xfe"#),
            ([0xF0, 0x9F, 0x8E, 0x41], #"\xf0\x9f\x8eA"#),
        ] as [([UInt8], String)])
    func `A path has an escape for each byte that is not a character`(bytes: [UInt8], text: String)
    {
        #expect(FilePath(bytes: bytes).description == text)
    }

    @Test func `A path of bytes that are UTF-8 equals that of their text`() {
        #expect(FilePath(bytes: Array("/ä 🎉".utf8)) == FilePath("/ä 🎉"))
        #expect(FilePath("/ä").string == "/ä")
    }

    @Test func `A path does not equal another that looks the same`() {
        #expect(FilePath("/\u{E4}") != FilePath("/a\u{308}"))
        #expect(FilePath(bytes: latin) != FilePath(FilePath(bytes: latin).description))
        #expect(Set([FilePath("/\u{E4}"), FilePath("/a\u{308}"), FilePath("/\u{E4}")]).count == 2)
    }

    @Test func `A path is passed to C whole`() {
        let path = FilePath(bytes: latin)

        let bytes = path.withPlatformString {
            unsafe Array(UnsafeBufferPointer(start: $0, count: 18))
        }

        #expect(bytes.map { UInt8(bitPattern: $0) } == latin + [0])
    }
}
