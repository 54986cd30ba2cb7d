import Testing
import UndersongLocation

@Suite struct `A GPX file` {
    private func track(_ text: String) throws(TrackError) -> Track {
        try Track.read(Array(text.utf8))
    }

    private func gpx(_ body: String) -> String { "<gpx version=\"1.1\">\(body)</gpx>" }

    @Test func `A GPX file is read with all that its points say`() throws {
        let track = try track(
            """
            <?xml version="1.0"?>
            <gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:a="urn:a" version="1.1">
              <wpt lat="1" lon="2"><time>2026-01-01T00:00:00Z</time></wpt>
              <trk><trkseg>
                <trkpt lat="52.5163" lon="-13.3777"><ele>34.5</ele>
                  <time>2014-12-22T04:05:13Z</time><hdop>1.5</hdop>
                  <extensions><a:speed>15.9</a:speed><a:course>255.94</a:course></extensions>
                </trkpt>
                <trkpt lat="-90" lon="180"><time>2014-12-22T05:05:14.25+01:00</time></trkpt>
              </trkseg></trk>
            </gpx>
            """)

        #expect(
            track.fixes == [
                LocationFix(
                    Coordinate(latitude: 52.5163, longitude: -13.3777), horizontalAccuracy: 7.5,
                    altitude: 34.5, verticalAccuracy: 11.25, speed: 15.9, course: 255.94,
                    time: 1_419_221_113, arrival: 0, source: .replay),
                LocationFix(
                    Coordinate(latitude: -90, longitude: 180), horizontalAccuracy: 5,
                    time: 1_419_221_114.25, arrival: 0, source: .replay),
            ])
        #expect(track.skippedCount == 0)
        #expect(track.duration == 1.25)
    }

    @Test func `A GPX file without tracks has its route, and without that its waypoints`() throws {
        let route = try track(
            gpx("<wpt lat='1' lon='1'/><rte><rtept lat='2' lon='2'/></rte>"))
        let waypoints = try track(gpx("<wpt lat='1' lon='1'/><wpt lat='1.0004' lon='1'/>"))

        #expect(route.fixes.map(\.coordinate.latitude) == [2])
        #expect(waypoints.fixes.map(\.coordinate.latitude) == [1, 1.0004])
        #expect(waypoints.fixes.map(\.time) == [0, 1])
    }

    @Test(.rule("D13")) func `Points without times are a second apart, or as 50 m/s take`() throws {
        let track = try track(
            gpx(
                "<rte><rtept lat='0' lon='1'/><rtept lat='0' lon='1'/>"
                    + "<rtept lat='0' lon='1.1'/></rte>"))

        #expect(track.fixes[1].time == 1)
        // A tenth of a degree of the equator is 11,131.9 m.
        #expect(abs(track.fixes[2].time - 223.64) < 0.01)
    }

    @Test func `A single point is a track without a movement`() throws {
        let track = try track(gpx("<wpt lat='1' lon='1'/>"))

        #expect(track.fixes.map(\.speed) == [nil] && track.fixes.map(\.course) == [nil])
        #expect(track.duration == 0 && track.length == 0)
    }

    @Test(.rule("LO16")) func `A GPX file without speeds has those of its points`() throws {
        let points = (0..<4).map { second in
            "<trkpt lat='\(Double(second) * 10 / 110_574)' lon='1'>"
                + "<time>2026-01-01T00:00:0\(second)Z</time></trkpt>"
        }

        let track = try track(gpx("<trk><trkseg>\(points.joined())</trkseg></trk>"))

        #expect(track.fixes.allSatisfy { abs(($0.speed ?? 0) - 10) < 0.01 })
        #expect(track.fixes.allSatisfy { $0.course.map { min($0, 360 - $0) < 0.01 } ?? false })
        #expect(abs(track.length - 30) < 0.01)
    }

    @Test func `A GPX file loses points without a time, or whose time runs back`() throws {
        let times = ["00:00:01", nil, "00:00:01", "00:00:00", "00:00:02"]
        let points = times.map { time in
            "<trkpt lat='1' lon='1'>"
                + (time.map { "<time>2026-01-01T\($0)Z</time>" } ?? "") + "</trkpt>"
        }

        let track = try track(gpx("<trk><trkseg>\(points.joined())</trkseg></trk>"))

        #expect(track.fixes.count == 2)
        #expect(track.skippedCount == 3)
        #expect(track.duration == 1)
    }

    @Test(arguments: [
        ("", "It is empty"),
        ("  \n", "It is empty"),
        ("<rss/>", "Line 1: It is not GPX"),
        ("<gpx/>", "It has no points"),
        ("<gpx><trkpt lat='1' lon='1'>", "Line 1: no element found"),
        ("<gpx>\n<trkpt lat='91' lon='1'/></gpx>", "Line 2: '91' is not a latitude"),
        ("<gpx><trkpt lat='1' lon='-180.5'/></gpx>", "Line 1: '-180.5' is not a longitude"),
        ("<gpx><trkpt lat='nan' lon='1'/></gpx>", "Line 1: 'nan' is not a latitude"),
        ("<gpx><trkpt lon='1'/></gpx>", "Line 1: A point has no latitude"),
        (
            "<gpx><trkpt lat='1' lon='1'><time>today</time></trkpt></gpx>",
            "Line 1: 'today' is not a time"
        ),
        (
            "<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx><trkpt lat='1' lon='1'/></gpx>",
            "It declares entities"
        ),
        (
            "<gpx>" + String(repeating: "<a>", count: 64) + "</gpx>",
            "It is nested more than 64 deep"
        ),
        ("hello", "It is neither GPX nor NMEA: Line 1 is not a sentence"),
    ])
    func `A broken GPX file is refused with the reason`(text: String, reason: String) {
        #expect(throws: TrackError(reason)) { try track(text) }
    }

    @Test func `A GPX file has a limited length`() {
        let bytes = [UInt8](repeating: 0x20, count: Track.sizeLimit + 1)

        #expect(throws: TrackError("It is longer than 64 MiB")) { try Track.read(bytes) }
    }

    @Test func `A GPX file is written so that it can be read`() throws {
        let fixes = [
            LocationFix(
                Coordinate(latitude: 0.00001, longitude: -179.99999999), horizontalAccuracy: 12,
                altitude: -0.5, verticalAccuracy: 3, time: 1_419_221_113.125, arrival: 7,
                source: .gpsd),
            LocationFix(
                Coordinate(latitude: -45, longitude: 0), horizontalAccuracy: 5, time: 1_419_221_114,
                arrival: 8, source: .geoClue),
        ]

        let text = GPXWriter.text(fixes)
        let track = try track(text)

        #expect(text.contains("lat=\"0.00001000\" lon=\"-179.99999999\""))
        #expect(text.contains("<time>2014-12-22T04:05:13.125Z</time>"))
        #expect(track.fixes.map(\.coordinate) == fixes.map(\.coordinate))
        #expect(track.fixes.map(\.horizontalAccuracy) == [12, 5])
        #expect(track.fixes.map(\.altitude) == [-0.5, nil])
        #expect(track.fixes.map(\.time) == fixes.map(\.time))
    }
}
