import TestSupport
import Testing
import UndersongBackground
import UndersongControl
import UndersongLibrary

@testable import UndersongCLI

/// The verbs that rate, as programs.
@Suite(.blockingThreads, .timeLimit(.minutes(5))) struct `A rating` {
    private func run(_ service: FakeService, _ arguments: String...) throws -> Program {
        let program = try Program(arguments, environment: service.environment)
        try program.wait()
        return program
    }

    @Test func `A rating is set for the current item, or for what a query finds`() throws {
        let service = try FakeService { request, _ in
            let call = try request.decode(RateTracks.self)
            return ControlReply(
                call.query == nil
                    ? RatedTracks(count: 1, track: LibrarySamples.joga) : RatedTracks(count: 12))
        }
        defer { service.end() }

        let one = try run(service, "rating", "5")
        let many = try run(service, "rating", "0", "album:Abbey Road", "-live")
        let on = try run(service, "favourite", "on")
        let off = try run(service, "favourite", "off", "artist:x")
        let toggled = try run(service, "favourite", "toggle")
        let json = try run(service, "rating", "5", "--json", "x")

        #expect(one.text == "rating 5: Björk - Jóga\n")
        #expect(many.text == "not rated: 12 tracks\n")
        #expect(on.text == "favourite: Björk - Jóga\n")
        #expect(off.text == "no favourite: 12 tracks\n")
        #expect(toggled.text == "favourite: Björk - Jóga\n")
        #expect(json.text == "{\"count\":12}\n")
        #expect(
            try service.calls(RateTracks.self) == [
                RateTracks(rating: 5), RateTracks(query: #"album:"Abbey Road" -live"#, rating: 0),
                RateTracks(isFavourite: true), RateTracks(query: "artist:x", isFavourite: false),
                RateTracks(togglesFavourite: true), RateTracks(query: "x", rating: 5),
            ])
    }

    @Test func `A rating without a value is shown`() throws {
        let service = try LibrarySamples.service(tracks: [LibrarySamples.joga]) { request, _ in
            request.method == GetStatus.method ? ControlReply(PlayerStatus.paused) : nil
        }
        defer { service.end() }

        let rating = try run(service, "rating")
        let favourite = try run(service, "favourite")

        #expect(rating.text == "rating 5: Björk - Jóga\n")
        #expect(favourite.text == "favourite: Björk - Jóga\n")
        #expect(try service.calls(RateTracks.self).isEmpty)
    }

    @Test func `A rating cannot be shown of what is not in the library`() throws {
        let service = try LibrarySamples.service(tracks: []) { request, _ in
            request.method == GetStatus.method ? ControlReply(PlayerStatus.paused) : nil
        }
        defer { service.end() }

        let program = try run(service, "rating")

        #expect(try program.wait() == 1)
        #expect(
            program.errorText == "undersong: cannot show the rating: /music/two.mp3 is not in the "
                + "library; 'undersong library add FOLDER' adds a folder\n")
    }

    @Test func `A rating of nothing fails`() throws {
        let service = try FakeService { _, _ in ControlReply(RatedTracks(count: 0)) }
        defer { service.end() }

        let program = try run(service, "rating", "3", "nosuch")

        #expect(try program.wait() == 1)
        #expect(program.text == "rating 3: 0 tracks\n")
    }

    @Test(arguments: [
        ["rating", "6"], ["rating", "-1"], ["rating", "x"], ["favourite", "maybe"],
    ])
    func `A rating is from 0 to 5`(arguments: [String]) throws {
        let service = try FakeService()
        defer { service.end() }

        let program = try Program(arguments, environment: service.environment)

        #expect(try program.wait() == 64)
        #expect(service.methods == [])
    }
}
