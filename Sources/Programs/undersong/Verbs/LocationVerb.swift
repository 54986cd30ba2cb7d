import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongLocation

/// `undersong location`: where the machine is, and what happens at places.
struct LocationVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "location",
        abstract: "Follow the machine's location, and control music by places.",
        discussion: """
            Locations come from GeoClue, or from gpsd ('undersong location source'). They are used only \
            after 'undersong location authorize', in the background only with 'undersong capability \
            location on', and kept only after 'undersong location keep on'.

            Examples:
              undersong location authorize always
              undersong location place add home 52.5163,13.3777 150
              undersong location on exit home pause
              undersong location on enter home resume
              undersong location replay drive --speed 10
            """,
        subcommands: [
            Status.self, Start.self, Stop.self, Authorize.self, Accuracy.self, Filter.self,
            Source.self, Track.self, Keep.self, Replay.self, RoutesVerb.self,
            PlaceVerb.self, On.self, Off.self,
        ],
        defaultSubcommand: Status.self)

    struct Status: CallVerb {
        static let purpose = "show the location"
        static let configuration = described(
            "status", "Show the location, or why it is not known, and the places and rules.")
        @OptionGroup var options: SessionOptions

        func call() -> GetLocationStatus { GetLocationStatus() }

        static func text(_ status: LocationStatus) -> String { LocationText.screen(status) }
    }

    struct Start: LocationSettingVerb {
        static let purpose = "begin updates"
        static let configuration = described(
            "start", "Begin updates, as shown by 'undersong events'.")
        @OptionGroup var options: SessionOptions

        func call() -> StartLocations { StartLocations() }
    }

    struct Stop: LocationSettingVerb {
        static let purpose = "end updates"
        static let configuration = described("stop", "End updates; places are still watched.")
        @OptionGroup var options: SessionOptions

        func call() -> StopLocations { StopLocations() }
    }

    struct Authorize: LocationSettingVerb {
        static let purpose = "authorize locations"
        static let configuration = described(
            "authorize", "Decide whether the service may know the machine's location.",
            discussion: """
                With always it may, in the background too; with whenInUse, while the host is in the \
                foreground; with never, not at all; notDetermined withdraws the decision.
                """)

        @Argument(
            help: "The decision: always, whenInUse, never or notDetermined.",
            completion: .list(decisions), transform: decision)
        var decision: LocationAuthorization.Status
        @OptionGroup var options: SessionOptions

        func call() -> AuthorizeLocations { AuthorizeLocations(decision) }

        private static let decisions = ["always", "whenInUse", "never", "notDetermined"]

        private static func decision(_ text: String) throws -> LocationAuthorization.Status {
            try .parse(chosen(text, among: decisions))
        }
    }

    struct Accuracy: LocationSettingVerb {
        static let purpose = "set the accuracy"
        static let configuration = described(
            "accuracy", "Set the accuracy of locations.",
            discussion: "Lower accuracy needs less power: use the lowest that will do.")

        @Argument(choice: "The accuracy: bestForNavigation, best, 10m, 100m, 1km or 3km.")
        var level: LocationAccuracy.Level?
        @Option(
            choice: ArgumentHelp(
                "The accuracy in the background; same for no difference.", valueName: "level"))
        var background: LocationAccuracy.BackgroundLevel?
        @OptionGroup var options: SessionOptions

        func validate() throws {
            if level == nil, background == nil {
                throw ValidationError("Name an accuracy, such as 100m, or use --background.")
            }
        }

        func call() -> SetLocationAccuracy {
            SetLocationAccuracy(accuracy: level, background: background)
        }
    }

    struct Filter: LocationSettingVerb {
        static let purpose = "set the filter"
        static let configuration = described(
            "filter", "Set the distance to move before the next update.")
        @Argument(help: "The distance in meters, 0 to 1000000; 0 for every update.")
        var meters: Double
        @OptionGroup var options: SessionOptions

        func validate() throws { try check("The distance", meters, 0...1_000_000) }

        func call() -> SetLocationFilter { SetLocationFilter(distance: meters) }
    }

    struct Source: LocationSettingVerb {
        static let purpose = "set the source"
        static let configuration = described(
            "source", "Set the source of locations.",
            discussion: """
                geoclue is the location service of desktops; gpsd reads satellite receivers, on this machine \
                or at HOST:PORT.
                """)

        /// The sources.
        enum Name: String, Choice { case geoclue, gpsd }

        @Argument(choice: "The source: geoclue or gpsd.") var name: Name
        @Argument(
            help: ArgumentHelp(
                "The host of gpsd; localhost:2947 by default.", valueName: "host:port"))
        var place: String?
        @OptionGroup var options: SessionOptions

        func validate() throws {
            if name == .geoclue, place != nil {
                throw ValidationError("geoclue takes no HOST:PORT.")
            }
            if let place, HostAndPort(place) == nil {
                throw ValidationError("'\(place)' is not HOST or HOST:PORT.")
            }
        }

        func call() -> SetLocationSource {
            let place = place.flatMap { HostAndPort($0) }
            return switch name {
            case .geoclue: SetLocationSource(.geoClue)
            case .gpsd:
                SetLocationSource(
                    .gpsd(
                        host: place?.host ?? "localhost",
                        port: place?.port ?? LocationSourceChoice.standardPort))
            }
        }
    }

    struct Track: Verb {
        static let configuration = described(
            "track", "Show the newest locations, 100 at most.",
            discussion: "With --output, only you can read the file.")
        @Flag(help: "Print the track as GPX.") var gpx = false
        @Option(
            name: [.customShort("o"), .long],
            help: ArgumentHelp("Write the track as GPX to this file.", valueName: "file"),
            completion: .file(extensions: ["gpx"]))
        var output: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "show the track"
            guard gpx || output != nil else {
                return try options.ask(purpose, GetTrack()) {
                    LocationText.track($0.fixes)
                }
            }
            let service = try options.service(to: purpose)
            let text = GPXWriter.text(try service.call(GetTrack()).fixes)
            guard let output else {
                writeOutput(text)
                return
            }
            let file = try NewFile(at: FilePath(output), mode: 0o600)
            // A file that is replaced keeps its mode, which may let others read it.
            fchmod(file.descriptor, 0o600)
            try file.write(Array(text.utf8))
            try file.commit()
        }
    }

    struct Keep: LocationSettingVerb {
        static let purpose = "keep locations"
        static let configuration = described(
            "keep", "Keep the newest 100 locations on the disk, or not.")
        @Argument(choice: "Keep them: on or off.") var state: Switch
        @OptionGroup var options: SessionOptions

        func call() -> KeepLocations { KeepLocations(state.isOn) }
    }

    struct Replay: Verb {
        static let configuration = described(
            "replay", "Replay a route or a recorded track (GPX or NMEA) as if the machine moved.",
            discussion: """
                The track takes the place of the source until its end, or until \
                'undersong location replay --stop'. The routes drive, run and ride come with the \
                program; 'undersong location routes' describes them. Where GPX has no speed or course, \
                they are derived from its points.
                """)
        @Argument(
            help: "The name of a route, or the file with the track.",
            completion: .file(extensions: ["gpx", "nmea"]))
        var track: String?
        @Option(
            help: ArgumentHelp(
                "The speed as a multiple of the recorded one, 0.01 to 1000.", valueName: "factor"))
        var speed = 1.0
        @Flag(help: "End a replay.") var stop = false
        @OptionGroup var options: SessionOptions

        func validate() throws {
            try check("--speed", speed, 0.01...1000)
            if stop == (track != nil) {
                throw ValidationError(
                    "Name a route (\(Route.names)) or the file with the track, or use --stop.")
            }
        }

        func perform() throws {
            guard let track else {
                return try options.ask("end the replay", EndReplay(), LocationText.source)
            }
            let shown = Columns.printable(track)
            let route = Route(rawValue: track)
            let path = try route.map { try $0.path(to: "replay \(shown)") } ?? track
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                let isName = errno == ENOENT && !track.contains { "/.".contains($0) }
                let advice = isName ? "; the routes are \(Route.names)" : ""
                throw Failure("cannot replay \(shown): \(SystemError.last.reason)\(advice)")
            }
            defer { close(descriptor) }
            let name = track.split(separator: "/").last.map(String.init) ?? track
            let service = try options.service(to: "replay \(shown)")
            let status = try service.call(
                ReplayTrack(name: name, speed: speed), descriptors: [descriptor])
            options.show(status) { $0.replay.map(LocationText.replay) ?? "" }
        }
    }
}

/// A verb that changes what is measured, and shows that.
protocol LocationSettingVerb: CallVerb where Call.Reply == LocationStatus {}

extension LocationSettingVerb {
    static func text(_ status: LocationStatus) -> String { LocationText.updates(status) }
}

extension LocationAuthorization.Status: Choice {}
extension LocationAccuracy.Level: Choice {}
extension LocationAccuracy.BackgroundLevel: Choice {}
extension LocationRule.Event: Choice {}

/// `localhost:2947`, or without the port; an address of IPv6 is in brackets if a port follows.
struct HostAndPort: Equatable {
    let host: String
    let port: Int?

    init?(_ text: String) {
        var (host, port): (Substring, Substring?) = (text[...], nil)
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            (host, port) = (text[..<colon], text[text.index(after: colon)...])
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace }) else { return nil }
        var address = in6_addr()
        if host.contains(":"), unsafe inet_pton(AF_INET6, String(host), &address) != 1 {
            return nil
        }
        self.host = String(host)
        guard let port else {
            self.port = nil
            return
        }
        guard let number = Int(port), 1...65535 ~= number else { return nil }
        self.port = number
    }
}
