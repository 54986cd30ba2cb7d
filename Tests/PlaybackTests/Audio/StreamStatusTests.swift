import Testing
import UndersongBase
import UndersongPlayback

@Suite struct `The status of a stream` {
    @Test func `A stream whose server asks to wait for ever waits for very long`() {
        var report = StreamReport()
        (report.state, report.retry, report.reason) = (.waiting, 1e10, "503")
        var status = StreamStatus()

        status.apply(report, at: 5)

        #expect(
            status.activity == .waiting(reason: "503", retryTime: 1_000_000_000_000_000_005))
    }
}
