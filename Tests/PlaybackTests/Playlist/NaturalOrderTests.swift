import Testing
import UndersongPlayback

@Suite struct `Natural order` {
    @Test(arguments: [
        ["1.mp3", "2.mp3", "10.mp3"], ["a9b", "a10", "a10b", "a11"], ["alpha", "äther", "Zeta"],
        ["Ångström", "atom"], ["e\u{301}a", "éb", "ec"], ["straße", "strassf"],
        ["œuvre", "p"], ["", "a"], ["cd 1 track 12", "cd 2 track 3"],
        ["7", "12345678901234567890123", "22345678901234567890123"], ["a b", "ab"],
        ["Жук", "жяб"],
    ])
    func `Natural order sorts names as people expect`(names: [String]) {
        for (place, first) in names.enumerated() {
            for second in names[(place + 1)...] {
                #expect(precedes(first, second) == true && precedes(second, first) == false)
            }
        }
    }

    @Test(arguments: [
        ("Song.mp3", "song.MP3"), ("track 01", "track 1"), ("Äther", "ather"), ("0", "00"),
        ("Ж", "ж"),
    ])
    func `Natural order does not distinguish case, accents and leading zeros`(
        first: String, second: String
    ) {
        #expect(precedes(first, second) == nil && precedes(second, first) == nil)
    }

    @Test func `Natural order is an order of any bytes`() {
        var generator = SystemRandomNumberGenerator()
        let letters = Array("aA0019zä".utf8) + [0xE9, 0xFF]
        let names = (0..<60).map { _ in
            (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? 0
            }
        }

        for first in names {
            for second in names {
                let isFirst = precedes(first, second)
                #expect(precedes(second, first) == isFirst.map { !$0 })
                for third in names where isFirst == true && precedes(second, third) != false {
                    #expect(precedes(first, third) == true)
                }
            }
        }
    }

    private func precedes(_ first: String, _ second: String) -> Bool? {
        precedes(Array(first.utf8), Array(second.utf8))
    }

    private func precedes(_ first: [UInt8], _ second: [UInt8]) -> Bool? {
        NaturalOrder.precedes(NaturalOrder.folded(first)[...], NaturalOrder.folded(second)[...])
    }
}
