import Testing

@testable import UndersongTransfers

@Suite struct `An ICY stream` {
    /// The sound and the titles of a body that arrives in pieces of `length`.
    private func parts(
        _ body: [UInt8], interval: Int, length: Int
    ) throws -> (sound: [UInt8], titles: [String], places: [Int]) {
        var demultiplexer = try #require(ICYDemultiplexer(interval: interval))
        var (sound, titles, places): ([UInt8], [String], [Int]) = ([], [], [])
        for start in stride(from: 0, to: body.count, by: length) {
            let piece = Array(body[start..<min(start + length, body.count)])
            let found = unsafe piece.withUnsafeBytes { unsafe demultiplexer.pieces(of: $0) }
            for part in found {
                switch part {
                case .sound(let range): sound += piece[range]
                case .title(let title):
                    titles.append(title)
                    places.append(sound.count)
                }
            }
        }
        return (sound, titles, places)
    }

    private func block(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let blocks = (bytes.count + 15) / 16
        return [UInt8(blocks)] + bytes + Array(repeating: 0, count: blocks * 16 - bytes.count)
    }

    @Test(arguments: [1, 3, 7, 100, 10_000])
    func `An ICY stream is the same sound and titles, however it is cut up`(length: Int) throws {
        let sound = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let body =
            Array(sound[..<100]) + block("StreamTitle='One';StreamUrl='';")
            + Array(sound[100..<200])
            + [0] + Array(sound[200...]) + block("StreamTitle='Two';")

        let parts = try parts(body, interval: 100, length: length)

        #expect(parts.sound == sound)
        #expect(parts.titles == ["One", "Two"])
        #expect(parts.places == [100, 300])
    }

    @Test(arguments: [
        ("StreamTitle='Artist - It's Here';StreamUrl='http://a.b/';", "Artist - It's Here"),
        ("StreamTitle='It';s';", "It';s"),
        ("StreamTitle='';", ""),
        ("StreamUrl='x';StreamTitle='Last'", "Last"),
    ])
    func `An ICY stream has titles with quotes in them`(text: String, title: String) {
        #expect(ICYDemultiplexer.title(in: Array(text.utf8)) == title)
    }

    @Test func `An ICY stream has titles in Latin-1 where they are not UTF-8`() {
        let text = Array("StreamTitle='Bj".utf8) + [0xF6] + Array("rk';".utf8)

        #expect(ICYDemultiplexer.title(in: text) == "Björk")
    }

    @Test func `An ICY stream has no titles without the field or without an interval`() {
        #expect(ICYDemultiplexer.title(in: Array("StreamUrl='x';".utf8)) == nil)
        #expect(ICYDemultiplexer(interval: 0) == nil)
    }
}
