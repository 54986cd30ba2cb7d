import Testing

@testable import UndersongTransfers

@Suite struct `A session's request` {
    private let task = {
        var task = SessionTask(session: "s", number: 1)
        task.fields = ["Authorization", "cookie", "X-Other", "Range", "Host"].map {
            SessionTask.Field(name: $0, value: "1")
        }
        return task
    }()

    @Test(
        arguments: [
            ("http://host/b", true), ("https://HOST/a?b", true), ("http://host:8080/a", false),
            ("http://host.org/a", false), ("http://user@host/a", true), ("ftp://host/a", false),
        ])
    func `A session's request gives its secrets to the server that was asked, and no other`(
        url: String, isTrusted: Bool
    ) {
        let sent = names(to: url, insteadOf: "http://host/a")

        #expect(
            sent == (isTrusted ? ["Authorization", "cookie"] : []) + ["X-Other", "Range"])
    }

    @Test func `A session's request gives no secrets where others can read along`() {
        let sent = names(to: "http://host/a", insteadOf: "https://host/a")

        #expect(sent == ["X-Other", "Range"])
    }

    @Test func `A credential that is sent takes the place of the session's own`() {
        let sent = names(to: "http://host/a", insteadOf: "http://host/a", hasCredential: true)

        #expect(sent == ["cookie", "X-Other", "Range"])
    }

    private func names(
        to url: String, insteadOf original: String, hasCredential: Bool = false
    ) -> [String] {
        SessionTask.fields(
            task.fields, to: url, insteadOf: original, hasCredential: hasCredential
        ).map(\.name)
    }
}
