import Foundation
import Testing
import UndersongBase
import UndersongPlayback

@testable import UndersongLocation

/// The form of values outside: in events, on the wire, on the disk.
@Suite struct `A location value` {
    private func decoded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(JSONLine.text(of: value).utf8))
    }

    @Test func `A location has no members for what is unknown, nor for the time of arrival`() throws
    {
        var fix = fix(Coordinate(latitude: 52.5, longitude: -13.25), at: 1.5)

        #expect(
            JSONLine.text(of: LocationEvent.fix(fix))
                == #"{"accuracy":5,"lat":52.5,"lon":-13.25,"source":"gpsd","time":1.5}"#)
        (fix.altitude, fix.verticalAccuracy, fix.speed, fix.course) = (1, 2, 3, 4)
        (fix.speedAccuracy, fix.courseAccuracy, fix.arrival) = (5, 6, 0)
        #expect(try decoded(fix) == fix)
        for event in [LocationEvent.fix(fix), .problem("it is dark")] {
            #expect(try decoded(event) == event)
        }
    }

    @Test(arguments: [
        LocationRule.Command.player(.pause), .player(.resume), .load("evening"), .volume(12.5),
    ])
    func `Values of locations are the same after they were decoded`(command: LocationRule.Command)
        throws
    {
        let region = WatchedRegion(
            region: CircularRegion(
                identifier: "home", center: Coordinate(latitude: 1.5, longitude: -2.25),
                radius: 150.5, notifiesOnEntry: false), state: .inside)
        var status = LocationStatus(
            settings: LocationSettings(), authorization: .whenInUse, isDeclared: true)
        status.settings.backgroundAccuracy = .level(.kilometer)
        status.settings.source = .gpsd(host: "::1", port: 2947)
        status.places = [region]
        status.rules = [LocationRule(.exit, "home", command)]
        status.refused = [.known(.stale): 1, .unknown("moonstruck"): 2]

        #expect(try decoded(status) == status)
        #expect(JSONLine.text(of: status).contains(#""refused":{"moonstruck":2,"stale":1}"#))
    }

    @Test(arguments: ["stop", "run"])
    func `A place's rule cannot be a command that must not run unattended`(word: String) {
        let text = #"{"event":"exit","place":"home","command":"\#(word)"}"#

        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(LocationRule.self, from: Data(text.utf8))
        }
    }

    @Test(arguments: [
        ("geoclue", LocationSourceChoice.geoClue, nil),
        ("gpsd localhost:2947", .gpsd(host: "localhost", port: 2947), nil),
        ("gpsd ::1:2947", .gpsd(host: "::1", port: 2947), nil),
        ("gpsd :2947", .gpsd(host: "", port: 2947), "It is not a host's name"),
        ("gpsd a b:2947", .gpsd(host: "a b", port: 2947), "It is not a host's name"),
        ("gpsd a:0", .gpsd(host: "a", port: 0), "A port is from 1 to 65535"),
    ])
    func `A text names a source of locations`(
        text: String, source: LocationSourceChoice, fault: String?
    ) {
        #expect(LocationSourceChoice(rawValue: text) == source)
        #expect(source.rawValue == text)
        #expect(source.fault == fault)
    }

    @Test(arguments: ["", "GPSD a:1", "gpsd", "gpsd a", "gpsd a:b"])
    func `A wrong text names no source of locations`(text: String) {
        #expect(LocationSourceChoice(rawValue: text) == nil)
    }
}
