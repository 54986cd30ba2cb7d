import ArgumentParser
import UndersongCommandOptions
import UndersongLocation
import UndersongPlayback

extension LocationVerb {
    struct PlaceVerb: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "place", abstract: "Show, add and remove places that are watched.",
            subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

        struct List: PlacesVerb {
            static let purpose = "show the places"
            static let configuration = described("list", "Show the places.")
            @OptionGroup var options: SessionOptions

            func call() -> GetLocationStatus { GetLocationStatus() }
        }

        struct Add: PlacesVerb {
            static let purpose = "add the place"
            static let configuration = described(
                "add", "Watch a place, replacing one with the same name.",
                discussion: """
                    A place counts as entered or left 20 seconds after its edge was crossed.

                    Examples:
                      undersong location place add home 52.5163,13.3777 150
                      undersong location place add cafe here
                    """)
            @Argument(help: "A name for the place, such as home.") var name: String
            @Argument(
                help: "LATITUDE,LONGITUDE in degrees, or here for the machine's location now.")
            var center: String
            @Argument(help: "The radius in meters; 150 by default.") var radius: String?
            @OptionGroup var options: SessionOptions

            func validate() throws {
                if center != "here" { _ = try Self.coordinate(center) }
                if let radius {
                    guard let number = Double(radius), number > 0, number.isFinite else {
                        throw ValidationError("'\(radius)' is not a radius in meters above 0.")
                    }
                }
            }

            func call() throws -> AddPlace {
                AddPlace(
                    name, center: center == "here" ? nil : try Self.coordinate(center),
                    radius: radius.flatMap { Double($0) } ?? 150)
            }

            private static func coordinate(_ text: String) throws -> Coordinate {
                let parts = text.split(separator: ",", omittingEmptySubsequences: false)
                guard parts.count == 2, let latitude = Double(parts[0]),
                    let longitude = Double(parts[1])
                else {
                    throw ValidationError(
                        "'\(text)' is not LATITUDE,LONGITUDE in degrees, such as 52.5,13.4, or here."
                    )
                }
                guard abs(latitude) <= 90 else {
                    throw ValidationError("\(parts[0]) is not a latitude from -90 to 90.")
                }
                guard abs(longitude) <= 180 else {
                    throw ValidationError("\(parts[1]) is not a longitude from -180 to 180.")
                }
                return Coordinate(latitude: latitude, longitude: longitude)
            }
        }

        struct Remove: PlacesVerb {
            static let purpose = "remove the place"
            static let configuration = described(
                "remove", "Stop watching a place, and remove its rules.")
            @Argument(help: "The name of the place.") var name: String
            @OptionGroup var options: SessionOptions

            func call() -> RemovePlace { RemovePlace(name) }
        }
    }

    struct On: Verb {
        static let configuration = described(
            "on", "Show or add rules for entering or leaving places.",
            discussion: """
                ACTION is pause, resume, queue load NAME or volume PERCENT; an event may have \
                several. The service performs them, whether or not a client is connected.

                Examples:
                  undersong location on enter home resume
                  undersong location on exit home volume 40
                """)
        @Argument(choice: "The event: enter or exit.") var event: LocationRule.Event?
        @Argument(help: "The name of the place.") var place: String?
        @Argument(help: "The action: pause, resume, queue load NAME or volume PERCENT.") var action:
            [String] = []
        @OptionGroup var options: SessionOptions

        func validate() throws {
            guard event != nil else { return }
            guard place != nil else {
                throw ValidationError("Name a place; 'undersong location place' lists them.")
            }
            guard !action.isEmpty else {
                throw ValidationError(
                    "Name an action: pause, resume, queue load NAME or volume PERCENT.")
            }
            _ = try Self.command(action)
        }

        func perform() throws {
            guard let event, let place else {
                return try options.ask("show the rules", GetLocationStatus(), LocationText.rules)
            }
            let rule = LocationRule(event, place, try Self.command(action))
            try options.ask("add the rule", AddRule(rule), LocationText.rules)
        }

        private static func command(_ words: [String]) throws -> LocationRule.Command {
            let command = PlayerCommand.unattended.first { [$0.rawValue] == words }
            if let command { return .player(command) }
            switch words.count {
            case 2 where words[0] == "volume":
                guard let volume = Double(words[1]), 0...100 ~= volume else {
                    throw ValidationError("'\(words[1])' is not a volume from 0 to 100.")
                }
                return .volume(volume)
            case 3 where words[0] == "queue" && words[1] == "load": return .load(words[2])
            default:
                throw ValidationError(
                    "'\(words.joined(separator: " "))' is not one of pause, resume, queue load NAME, "
                        + "volume PERCENT.")
            }
        }
    }

    struct Off: CallVerb {
        static let purpose = "remove the rule"
        static let configuration = described(
            "off", "Remove the rules for entering or leaving a place.")
        @Argument(choice: "The event: enter or exit.") var event: LocationRule.Event
        @Argument(help: "The name of the place.") var place: String
        @OptionGroup var options: SessionOptions

        func call() -> RemoveRules { RemoveRules(event, place) }

        static func text(_ status: LocationStatus) -> String { LocationText.rules(status) }
    }
}

/// A verb that shows the places.
protocol PlacesVerb: CallVerb where Call.Reply == LocationStatus {}

extension PlacesVerb {
    static func text(_ status: LocationStatus) -> String { LocationText.places(status) }
}
