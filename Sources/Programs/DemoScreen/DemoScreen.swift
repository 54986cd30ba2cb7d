/// A tab of the demo's app.
package enum DemoTab: String, Codable, CaseIterable, Sendable {
    case audio, location, whatever, fetch
}

/// The content of the demo app's screen: what the app shows by its views on a phone. The app sends
/// it, at most 20 times a second; `undersong demo` draws it, and keeps the last one as the snapshot of
/// an app that is suspended.
package struct DemoScreen: Codable, Hashable, Sendable {
    /// The player.
    package struct Audio: Codable, Hashable, Sendable {
        package var songs: [String] = []
        /// The index of the song that plays; nil before the first.
        package var current: Int?
        package var isPlaying = false
        /// The position, 0 on another tab, and the length of the song, in seconds.
        package var seconds = 0.0
        package var duration: Double?
        package var artist: String?
        /// The absolute path of a cover.
        package var cover: String?
        /// The level of what is heard, from 0 to 1; nil if it is unknown, and on another tab.
        package var level: Double?

        package init() {}
    }

    /// A place on the map.
    package struct Pin: Codable, Hashable, Sendable {
        /// Degrees.
        package var latitude: Double
        package var longitude: Double
        /// The radius of uncertainty, in metres.
        package var accuracy: Double
        /// Metres per second; nil if it is unknown.
        package var speed: Double?
        /// Degrees clockwise from north; nil if it is unknown.
        package var course: Double?
        /// True if it came while the app was in the background.
        package var isFromBackground: Bool

        package init(
            latitude: Double, longitude: Double, accuracy: Double, speed: Double? = nil,
            course: Double? = nil, isFromBackground: Bool = false
        ) {
            self.latitude = latitude
            self.longitude = longitude
            self.accuracy = accuracy
            self.speed = speed
            self.course = course
            self.isFromBackground = isFromBackground
        }
    }

    /// The map.
    package struct Location: Codable, Hashable, Sendable {
        package var isOn = false
        /// The names of the accuracies, best first, and the index of the chosen one.
        package var accuracies: [String] = []
        package var accuracy = 0
        /// The distance filter, in metres; nil for none.
        package var filter: Double?
        /// The newest 100 pins, oldest first.
        package var pins: [Pin] = []
        /// The reason why there are none; nil if there are.
        package var problem: String?

        package init() {}
    }

    /// The long calculation.
    package struct Whatever: Codable, Hashable, Sendable {
        package enum State: String, Codable, Sendable {
            case ready, calculating, expired, ended
        }

        package var state = State.ready
        /// The last number, and its position in the sequence.
        package var number = "0"
        package var position = 0
        /// The seconds that remain in the background; nil in the foreground, without a limit.
        package var timeRemaining: Double?

        package init() {}
    }

    /// The tab of the traffic reports, and their last refresh.
    package struct Fetch: Codable, Hashable, Sendable {
        /// The time of the last refresh, in seconds since 1970; nil before the first.
        package var lastRefresh: Double?
        package var isUpdating = false
        /// The traffic reports, newest first.
        package var reports: [String] = []

        package init() {}
    }

    package var tab = DemoTab.audio
    package var audio = Audio()
    package var location = Location()
    package var whatever = Whatever()
    package var fetch = Fetch()
    /// The badges on the tabs, where they are not 0.
    package var badges: [String: Int] = [:]

    package init() {}
}

/// A message of the demo's app, one line of JSON on the socket of `undersong demo`.
package enum DemoMessage: Codable, Hashable, Sendable {
    case screen(DemoScreen)
    /// A line for the console, as the app prints it, and the tab that it concerns.
    case console(String, DemoTab?)
}

/// A touch of the demo app's screen, one line of JSON to the app.
package enum DemoTouch: Codable, Hashable, Sendable {
    case tab(DemoTab)
    /// Plays or pauses.
    case playPause
    /// Plays the song with this index.
    case song(Int)
    /// Seeks by this many seconds.
    case seek(Double)
    /// Turns location updates on or off.
    case locationSwitch
    /// Chooses an accuracy by its index.
    case accuracy(Int)
    /// Sets the distance filter, in metres; nil for none.
    case filter(Double?)
    /// Begins or stops the calculation.
    case calculation
    /// Updates the reports now.
    case update
    /// Replays the track in a file, at this many seconds of it per second, as Xcode simulates
    /// locations; nil for the end of a replay.
    case route(String?, speed: Double)
}
