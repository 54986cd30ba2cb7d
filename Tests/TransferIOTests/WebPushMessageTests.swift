import TestSupport
import Testing
import UndersongBackground

@testable import UndersongTransferIO

/// The example of RFC 8291, appendix A.
private enum Example {
    static let content = Array("When I grow up, I want to be a watermelon".utf8)
    static let keys = UnifiedPushRegistration.Keys(
        privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
        publicKey:
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        authSecret: "BTBZMqHH6r4Tts7J_aSIgg")
    static let message = bytes(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
            + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
            + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")

    static let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw")
    static let senderKeys = (
        private: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
        public: bytes(
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        )
    )

    /// The sender that has made it.
    static var sender: WebPushSender {
        var sender = WebPushSender(p256dh: keys.publicKey, auth: keys.authSecret)
        sender.salt = salt
        sender.keys = senderKeys
        return sender
    }

    private static func bytes(_ text: String) -> [UInt8] {
        WebPushSender.bytes(ofBase64URL: text)
    }
}

@Suite struct `An encrypted push` {
    private typealias Problem = WebPushMessage.Problem

    @Test(.rule("PU14")) func `An encrypted push is read as RFC 8291 says`() throws {
        let content = try WebPushMessage.content(of: Example.message, for: Example.keys)

        #expect(content == Example.content)
        // So is the sender of these tests.
        #expect(Example.sender.message(Example.content) == Example.message)
    }

    @Test func `An encrypted push is refused with any of its bits changed`() {
        for bit in 0..<Example.message.count * 8 {
            var message = Example.message
            message[bit / 8] ^= 1 << UInt8(bit % 8)
            let problem = problem(of: message)

            switch bit / 8 {
            case 0..<16, 86...: #expect(problem == .notAuthentic, "bit \(bit)")
            case 16..<20: #expect(problem == .recordSize(4096 ^ 1 << recordBit(bit)), "bit \(bit)")
            case 20: #expect(problem == .keyLength(65 ^ 1 << UInt8(bit % 8)), "bit \(bit)")
            default: #expect(problem == .invalidKey, "bit \(bit)")
            }
        }
    }

    /// The place of a message's bit in the record size.
    private func recordBit(_ bit: Int) -> UInt32 { UInt32((19 - bit / 8) * 8 + bit % 8) }

    @Test func `An encrypted push is refused wherever it is cut off`() {
        for count in 0..<Example.message.count {
            let problem = problem(of: Array(Example.message.prefix(count)))

            #expect(problem == (count <= 102 ? .tooShort(count) : .notAuthentic), "\(count) bytes")
        }
    }

    @Test func `An encrypted push is refused with other keys`() throws {
        let other = try #require(UnifiedPushRegistration.Keys.generate())
        let pair = UnifiedPushRegistration.Keys(
            privateKey: other.privateKey, publicKey: other.publicKey,
            authSecret: Example.keys.authSecret)
        let secret = UnifiedPushRegistration.Keys(
            privateKey: Example.keys.privateKey, publicKey: Example.keys.publicKey,
            authSecret: other.authSecret)

        #expect(problem(of: Example.message, for: pair) == .notAuthentic)
        #expect(problem(of: Example.message, for: secret) == .notAuthentic)
    }

    @Test func `An encrypted push is refused with invalid keys`() throws {
        let other = try #require(UnifiedPushRegistration.Keys.generate())
        var broken = Array(Example.keys.publicKey)
        broken[40] = broken[40] == "A" ? "B" : "A"
        let mixed = UnifiedPushRegistration.Keys(
            privateKey: other.privateKey, publicKey: Example.keys.publicKey,
            authSecret: Example.keys.authSecret)
        let offCurve = UnifiedPushRegistration.Keys(
            privateKey: Example.keys.privateKey, publicKey: String(broken),
            authSecret: Example.keys.authSecret)
        let short = UnifiedPushRegistration.Keys(
            privateKey: "", publicKey: Example.keys.publicKey,
            authSecret: Example.keys.authSecret)

        for keys in [mixed, offCurve, short] {
            #expect(problem(of: Example.message, for: keys) == .ownKeys)
        }
    }

    @Test(arguments: [0, 17, 18, 4095, 4097, UInt32.max])
    func `An encrypted push is refused with another record size`(size: UInt32) {
        var sender = Example.sender
        sender.recordSize = size

        #expect(problem(of: sender.message(Example.content)) == .recordSize(size))
    }

    @Test(arguments: [0, 33, 64, 66, 255])
    func `An encrypted push is refused with a key of another length`(length: UInt8) {
        var message = Example.message
        message[20] = length

        #expect(problem(of: message) == .keyLength(length))
    }

    @Test func `An encrypted push is refused with a compressed key, or the point at infinity`() {
        for first: UInt8 in [0, 2, 3, 6, 7] {
            var message = Example.message
            message[21] = first

            #expect(problem(of: message) == .invalidKey, "\(first)")
        }
    }

    @Test(
        arguments: [
            ([2], nil), ([2, 0], nil), ([2] + Array(repeating: 0, count: 3000), nil),
            ([1], Problem.severalRecords), ([1, 0, 0], .severalRecords), ([], .padding),
            ([0, 0], .padding), ([3], .padding), ([2, 3], .padding), ([2, 0, 255], .padding),
        ] as [([UInt8], WebPushMessage.Problem?)])
    func `An encrypted push has a delimiter before its padding`(
        ending: [UInt8], expected: WebPushMessage.Problem?
    ) throws {
        var sender = Example.sender
        sender.ending = ending
        let message = sender.message([7, 8, 9])

        #expect(problem(of: message) == expected)
        if expected == nil {
            #expect(try WebPushMessage.content(of: message, for: Example.keys) == [7, 8, 9])
        }
    }

    @Test func `An encrypted push has 4096 bytes at most, of which 3993 are content`() throws {
        let content = (0..<3993).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let longest = Example.sender.message(content)
        let longer = Example.sender.message(content + [0])

        #expect(longest.count == 4096)
        #expect(try WebPushMessage.content(of: longest, for: Example.keys) == content)
        #expect(problem(of: longer) == .tooLong(4097))
        #expect(problem(of: Array(repeating: 0, count: 1 << 20)) == .tooLong(1 << 20))
    }

    @Test func `An encrypted push may have nothing in it`() throws {
        let message = Example.sender.message([])

        #expect(try WebPushMessage.content(of: message, for: Example.keys) == [])
    }

    @Test func `An encrypted push is read with generated keys, which are never the same`() throws {
        var all: Set<String> = []
        for _ in 0..<20 {
            let keys = try #require(UnifiedPushRegistration.Keys.generate())
            all.formUnion([keys.privateKey, keys.publicKey, keys.authSecret])
            let sender = WebPushSender(p256dh: keys.publicKey, auth: keys.authSecret)

            #expect(WebPushSender.bytes(ofBase64URL: keys.privateKey).count == 32)
            #expect(WebPushSender.bytes(ofBase64URL: keys.authSecret).count == 16)
            #expect(
                try WebPushMessage.content(of: sender.message([1, 2]), for: keys) == [1, 2])
        }
        #expect(all.count == 60)
    }

    // MARK: Sending

    @Test(.rule("PU18")) func `An encrypted push is made as RFC 8291 says`() throws {
        let keys = P256Key(
            privateKey: Example.senderKeys.private, publicKey: Example.senderKeys.public)
        guard let keys else {
            Issue.record("the keys of the example are none")
            return
        }

        let message = try WebPushMessage.message(
            Example.content, p256dh: Example.keys.publicKey, auth: Example.keys.authSecret,
            from: keys, salt: Example.salt)

        #expect(message == Example.message)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 3992, 3993])
    func `An encrypted push is read by its receiver as it was made`(count: Int) throws {
        let keys = try #require(UnifiedPushRegistration.Keys.generate())
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }

        let message = try message(content, keys.publicKey, keys.authSecret)

        #expect(message.count == content.count + 103)
        #expect(try WebPushMessage.content(of: message, for: keys) == content)
    }

    @Test func `An encrypted push has a new key and a new salt each time`() throws {
        let messages = try (0..<20).map { _ in try message([7]) }

        #expect(Set(messages.map { $0[..<16] }).count == 20)
        #expect(Set(messages.map { $0[21..<86] }).count == 20)
    }

    @Test func `An encrypted push is made for keys with and without padding`() throws {
        let message = try message(
            [1, 2], Example.keys.publicKey + "=", Example.keys.authSecret + "==")

        #expect(try WebPushMessage.content(of: message, for: Example.keys) == [1, 2])
    }

    @Test(.rule("PU18"))
    func `An encrypted push is not made for a key or a secret that is none`() throws {
        let (key, secret) = (Example.keys.publicKey, Example.keys.authSecret)
        let offCurve = String(key.dropLast(2)) + "AA"
        let compressed = "A" + key.dropFirst()
        let cases: [(key: String, secret: String, text: String)] = [
            (String(key.dropLast(3)), secret, "the key p256dh has 63 bytes instead of 65"),
            ("", secret, "the key p256dh has 0 bytes instead of 65"),
            ("B?", secret, "the key p256dh is not base64 for URLs"),
            (offCurve, secret, "the key p256dh is not a point of P-256"),
            (compressed, secret, "the key p256dh is not a point of P-256"),
            (key, String(secret.dropLast(2)), "the secret auth has 15 bytes instead of 16"),
            (key, key, "the secret auth has 65 bytes instead of 16"),
            (key, "é", "the secret auth is not base64 for URLs"),
        ]

        for (key, secret, text) in cases {
            #expect {
                try message([1], key, secret)
            } throws: {
                "\($0)" == text
            }
        }
    }

    @Test func `An encrypted push is not made of more bytes than fit into a message`() throws {
        #expect(throws: Problem.contentTooLong(3994)) {
            try message(Array(repeating: 0, count: 3994))
        }
        #expect(
            "\(Problem.contentTooLong(3994))"
                == "the payload has 3994 bytes, and 3993 fit into an encrypted message")
    }

    private func message(
        _ content: [UInt8], _ key: String = Example.keys.publicKey,
        _ secret: String = Example.keys.authSecret
    ) throws -> [UInt8] {
        try WebPushMessage.message(content, p256dh: key, auth: secret)
    }

    private func problem(
        of message: [UInt8], for keys: UnifiedPushRegistration.Keys = Example.keys
    ) -> WebPushMessage.Problem? {
        do throws(WebPushMessage.Problem) {
            _ = try WebPushMessage.content(of: message, for: keys)
            return nil
        } catch {
            return error
        }
    }
}
