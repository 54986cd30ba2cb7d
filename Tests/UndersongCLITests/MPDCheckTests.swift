import Testing

@testable import UndersongCLI

@Suite struct `The doctor's look at MPD's clients` {
    @Test func `Clients that find another server are noted, with its process`() {
        let path = "/run/mpd/socket"

        #expect(MPDCheck.finding(at: path, holder: nil, service: 7) == nil)
        #expect(
            MPDCheck.finding(at: path, holder: 7, service: 7)
                == .good("MPD's clients", "they find the service at /run/mpd/socket"))
        #expect(
            MPDCheck.finding(at: path, holder: 8, service: 7)
                == .note(
                    "MPD's clients",
                    "another server, process 8, answers at /run/mpd/socket, so that they find that",
                    "end it, and then: undersong shutdown"))
    }
}
