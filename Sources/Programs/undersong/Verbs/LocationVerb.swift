import ArgumentParser
import Glibc
import UndersongBase
import UndersongCommandOptions
import UndersongControl
import UndersongPlayback

/// `undersong location`: where the machine is, and what happens at places.
struct LocationVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "location",
        abstract: "Follow where the machine is, and control music by places.",
        discussion: """
            Locations come from GeoClue, or from gpsd ('undersong location source'). They are used only \
            after 'undersong location authorize', in the background only with 'undersong capability \
            location on', and kept only after 'undersong location keep on'.

            Examples:
              undersong location authorize always
              undersong location place add home 52.5163,13.3777 150
              undersong location on exit home pause
              undersong location on enter home resume
              undersong location replay drive.gpx --speed 10
            """,
        subcommands: [
            Status.self, Start.self, Stop.self, Authorize.self, Accuracy.self, Filter.self,
            Source.self, Track.self, Keep.self, Replay.self, PlaceVerb.self, On.self, Off.self,
        ],
        defaultSubcommand: Status.self)

    /// `undersong location status`
    struct Status: LocationCallVerb {
        static let purpose = "show the location"
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the location, or why it is not known, and the places and rules.")
        @OptionGroup var options: SessionOptions

        func call() -> LocationCall { LocationCall(.status) }

        static func text(_ state: LocationState?) -> String { LocationText.screen(state) }
    }

    /// `undersong location start`
    struct Start: LocationSettingVerb {
        static let purpose = "begin updates"
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Begin updates, as shown by 'undersong events'.")
        @OptionGroup var options: SessionOptions

        func call() -> LocationCall { LocationCall(.start) }
    }

    /// `undersong location stop`
    struct Stop: LocationSettingVerb {
        static let purpose = "end updates"
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "End updates; places are still watched.")
        @OptionGroup var options: SessionOptions

        func call() -> LocationCall { LocationCall(.stop) }
    }

    /// `undersong location authorize`
    struct Authorize: LocationSettingVerb {
        static let purpose = "authorize locations"
        static let configuration = CommandConfiguration(
            commandName: "authorize",
            abstract: "Decide whether the service may know where the machine is.",
            discussion: """
                With always it may, in the background too; with whenInUse, while the host is in the \
                foreground; with never, not at all; notDetermined withdraws the decision.
                """)

        /// The decisions.
        enum Decision: String, Choice { case always, whenInUse, never, notDetermined }

        @Argument(
            help: "The decision: always, whenInUse, never or notDetermined.",
            completion: Decision.completion,
            transform: Decision.parse)
        var decision: Decision
        @OptionGroup var options: SessionOptions

        func call() -> LocationCall {
            LocationCall(.authorize) { $0.authorization = decision.rawValue }
        }
    }

    /// `undersong location accuracy`
    struct Accuracy: LocationSettingVerb {
        static let purpose = "set the accuracy"
        static let configuration = CommandConfiguration(
            commandName: "accuracy", abstract: "Set how accurate locations should be.",
            discussion: "Lower accuracy needs less power: use the lowest that will do."
        )

        /// Apple's choices (D3).
        enum Level: String, Choice {
            case bestForNavigation, best
            case tenMeters = "10m"
            case hundredMeters = "100m"
            case kilometer = "1km"
            case threeKilometers = "3km"
        }

        /// Those of the background: `same`, too.
        enum BackgroundLevel: RawRepresentable, Choice {
            case same
            case level(Level)

            static let allCases = [same] + Level.allCases.map { level($0) }

            init?(rawValue: String) {
                guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
                    return nil
                }
                self = found
            }

            var rawValue: String {
                switch self {
                case .same: "same"
                case .level(let level): level.rawValue
                }
            }
        }

        @Argument(
            help: "The accuracy: bestForNavigation, best, 10m, 100m, 1km or 3km.",
            completion: Level.completion,
            transform: Level.parse)
        var level: Level?
        @Option(
            help: ArgumentHelp(
                "The accuracy in the background; same for no difference.", valueName: "level"),
            completion: BackgroundLevel.completion, transform: BackgroundLevel.parse)
        var background: BackgroundLevel?
        @OptionGroup var options: SessionOptions

        func validate() throws {
            if level == nil, background == nil {
                throw ValidationError("Name an accuracy, such as 100m, or use --background.")
            }
        }

        func call() -> LocationCall {
            LocationCall(.accuracy) {
                ($0.accuracy, $0.background) = (level?.rawValue, background?.rawValue)
            }
        }
    }

    /// `undersong location filter`
    struct Filter: LocationSettingVerb {
        static let purpose = "set the filter"
        static let configuration = CommandConfiguration(
            commandName: "filter",
            abstract: "Set how far the machine has to move before the next update.")
        @Argument(help: "The distance in meters, 0 to 1000000; 0 for every update.")
        var meters: Double
        @OptionGroup var options: SessionOptions

        func validate() throws { try check("The distance", meters, 0...1_000_000) }

        func call() -> LocationCall { LocationCall(.filter) { $0.distance = meters } }
    }

    /// `undersong location source`
    struct Source: LocationSettingVerb {
        static let purpose = "set the source"
        static let configuration = CommandConfiguration(
            commandName: "source", abstract: "Set where locations come from.",
            discussion: """
                geoclue is the location service of desktops; gpsd reads satellite receivers, on this machine \
                or at HOST:PORT.
                """)

        /// The sources.
        enum Name: String, Choice { case geoclue, gpsd }

        @Argument(
            help: "The source: geoclue or gpsd.", completion: Name.completion, transform: Name.parse
        )
        var name: Name
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

        func call() -> LocationCall {
            let place = place.flatMap { HostAndPort($0) }
            return LocationCall(.source) {
                ($0.source, $0.host, $0.port) = (name.rawValue, place?.host, place?.port)
            }
        }
    }

    /// `undersong location track`
    struct Track: Verb {
        static let configuration = CommandConfiguration(
            commandName: "track", abstract: "Show the newest locations, 100 at most.",
            discussion: "With --output, only you can read the file.")
        @Flag(help: "Print the track as GPX.")
        var gpx = false
        @Option(
            name: [.customShort("o"), .long],
            help: ArgumentHelp("Write the track as GPX to this file.", valueName: "file"),
            completion: .file(extensions: ["gpx"]))
        var output: String?
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "show the track"
            var call = LocationCall(.track)
            guard gpx || output != nil else {
                return try options.ask(purpose, call, startsService: true) {
                    LocationText.track($0.fixes ?? [])
                }
            }
            call.gpx = true
            let service = try Service(to: purpose, session: options.session, startsService: true)
            let text = try service.call(call).gpx ?? ""
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

    /// `undersong location keep`
    struct Keep: LocationSettingVerb {
        static let purpose = "keep locations"
        static let configuration = CommandConfiguration(
            commandName: "keep",
            abstract: "Set whether the newest 100 locations are kept on the disk.")
        @Argument(
            help: "Keep them: on or off.", completion: Switch.completion, transform: Switch.parse)
        var state: Switch
        @OptionGroup var options: SessionOptions

        func call() -> LocationCall { LocationCall(.keep) { $0.keep = state.isOn } }
    }

    /// `undersong location replay`
    struct Replay: Verb {
        static let configuration = CommandConfiguration(
            commandName: "replay",
            abstract: "Replay a recorded track (GPX or NMEA) as if the machine moved.",
            discussion: """
                The track takes the place of the source until its end, or until \
                'undersong location replay --stop'.
                """)
        @Argument(help: "The file with the track.", completion: .file(extensions: ["gpx", "nmea"]))
        var file: String?
        @Option(
            help: ArgumentHelp(
                "How many times faster to replay it, 0.01 to 1000.", valueName: "factor"))
        var speed = 1.0
        @Flag(help: "End a replay.")
        var stop = false
        @OptionGroup var options: SessionOptions

        func validate() throws {
            try check("--speed", speed, 0.01...1000)
            if stop == (file != nil) {
                throw ValidationError("Name the file with the track, or use --stop.")
            }
        }

        func perform() throws {
            var call = LocationCall(.replay)
            guard let file else {
                return try options.ask("end the replay", call, startsService: true) {
                    LocationText.source($0.state)
                }
            }
            let shown = Columns.printable(file)
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw Failure("cannot replay \(shown): \(SystemError.last.reason)")
            }
            defer { close(descriptor) }
            call.name = file.split(separator: "/").last.map(String.init) ?? file
            call.speed = speed
            let service = try Service(
                to: "replay \(shown)", session: options.session, startsService: true)
            let reply = try service.call(call, descriptors: [descriptor])
            options.show(reply) { $0.state?.replay.map(LocationText.replay) ?? "" }
        }
    }
}

/// A verb of locations, whose answer is what the service does with them.
protocol LocationCallVerb: CallVerb where Call == LocationCall {
    /// The answer as text.
    static func text(_ state: LocationState?) -> String
}

extension LocationCallVerb {
    static func text(_ reply: LocationCall.Reply) -> String { text(reply.state) }
}

/// A verb that changes what is measured, and shows that.
protocol LocationSettingVerb: LocationCallVerb {}

extension LocationSettingVerb {
    static func text(_ state: LocationState?) -> String { LocationText.updates(state) }
}

extension LocationCall {
    /// A call with more than an action.
    init(_ action: Action, _ fill: (inout LocationCall) -> Void) {
        self.init(action)
        fill(&self)
    }
}

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
