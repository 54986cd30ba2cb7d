/// The fields of each kind of event.
extension PlayerEvent {
    /// The start of the session.
    package struct Session: Codable, Hashable, Sendable {
        package var version: String
        package var schema: Int
        package var output: String
        package var interval: Duration?
        package var category: String
        package var capabilities: [String]
        package var capabilitySource: String

        package init(
            version: String, schema: Int, output: String, interval: Duration? = nil,
            category: String, capabilities: [String], capabilitySource: String
        ) {
            self.version = version
            self.schema = schema
            self.output = output
            self.interval = interval
            self.category = category
            self.capabilities = capabilities
            self.capabilitySource = capabilitySource
        }
    }

    /// The queue's items, the current one first.
    package struct Queue: Codable, Hashable, Sendable {
        package var count: Int
        package var items: [Entry]

        package init(count: Int, items: [Entry]) {
            self.count = count
            self.items = items
        }
    }

    /// The player's position and rate.
    package struct State: Codable, Hashable, Sendable {
        package var position: Duration
        package var rate: Double
        package var deviceSilent: Bool?

        package init(position: Duration, rate: Double, deviceSilent: Bool? = nil) {
            self.position = position
            self.rate = rate
            self.deviceSilent = deviceSilent
        }
    }

    /// The time in the item.
    package struct Time: Codable, Hashable, Sendable {
        package var value: Int64
        package var timescale: Int32
        package var seconds: Double
        package var rate: Double
        package var exact: Bool

        package init(value: Int64, timescale: Int32, seconds: Double, rate: Double, exact: Bool) {
            self.value = value
            self.timescale = timescale
            self.seconds = seconds
            self.rate = rate
            self.exact = exact
        }
    }

    /// A time that was crossed.
    package struct Boundary: Codable, Hashable, Sendable {
        package var value: Int64
        package var timescale: Int32
        package var seconds: Double

        package init(value: Int64, timescale: Int32, seconds: Double) {
            self.value = value
            self.timescale = timescale
            self.seconds = seconds
        }
    }

    /// The accuracy of positions.
    package struct Clock: Codable, Hashable, Sendable {
        package var uncertainty: Double

        package init(uncertainty: Double) {
            self.uncertainty = uncertainty
        }
    }

    /// The host's state.
    package struct Application: Codable, Hashable, Sendable {
        package var lifecycle: [String]
        package var source: String

        package init(lifecycle: [String], source: String) {
            self.lifecycle = lifecycle
            self.source = source
        }
    }

    /// A decision of the session policy.
    package struct Policy: Codable, Hashable, Sendable {
        package var decision: String
        package var reasons: [String]
        package var audioCapability: Bool
        package var capabilitySource: String

        package init(
            decision: String, reasons: [String], audioCapability: Bool, capabilitySource: String
        ) {
            self.decision = decision
            self.reasons = reasons
            self.audioCapability = audioCapability
            self.capabilitySource = capabilitySource
        }
    }

    /// A device of the sound server.
    package struct Device: Codable, Hashable, Sendable {
        package var name: String
        package var description: String
        package var port: String

        package init(name: String, description: String, port: String) {
            self.name = name
            self.description = description
            self.port = port
        }
    }

    /// The sound is routed elsewhere.
    package struct RouteChange: Codable, Hashable, Sendable {
        package var reasonCode: UInt
        package var previous: Device?
        package var route: Device?

        package init(reasonCode: UInt, previous: Device? = nil, route: Device? = nil) {
            self.reasonCode = reasonCode
            self.previous = previous
            self.route = route
        }

        /// Encodes both devices, missing ones as null.
        package func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(reasonCode, forKey: .reasonCode)
            try members.encode(previous, forKey: .previous)
            try members.encode(route, forKey: .route)
        }
    }

    /// An interruption begins or ends.
    package struct Interruption: Codable, Hashable, Sendable {
        package var type: String
        package var source: String
        package var by: String?
        package var shouldResume: Bool?

        package init(type: String, source: String, by: String? = nil, shouldResume: Bool? = nil) {
            self.type = type
            self.source = source
            self.by = by
            self.shouldResume = shouldResume
        }
    }

    /// Which other audio can be heard.
    package struct OtherAudio: Codable, Hashable, Sendable {
        package var playing: Bool
        package var mixable: Bool

        package init(playing: Bool, mixable: Bool) {
            self.playing = playing
            self.mixable = mixable
        }
    }

    /// The bytes of the current item have ceased to arrive, or arrive again.
    package struct Network: Codable, Hashable, Sendable {
        package var host: String
        package var network: String
        package var trouble: String?
        package var retry: Double?

        package init(host: String, network: String, trouble: String?, retry: Double?) {
            self.host = host
            self.network = network
            self.trouble = trouble
            self.retry = retry
        }
    }

    /// What a station says about what is heard.
    package struct Metadata: Codable, Hashable, Sendable {
        package var title: String

        package init(title: String) { self.title = title }
    }

    /// What has become of an episode of a podcast.
    package struct Episode: Codable, Hashable, Sendable {
        package var episode: Int
        package var feed: Int
        package var podcast: String
        package var title: String
        package var phase: String
        package var path: String?
        package var problem: String?

        package init(
            episode: Int, feed: Int, podcast: String, title: String, phase: String,
            path: String? = nil, problem: String? = nil
        ) {
            self.episode = episode
            self.feed = feed
            self.podcast = podcast
            self.title = title
            self.phase = phase
            self.path = path
            self.problem = problem
        }
    }

    /// When playback is to stop by itself; without `time` and `after`, it is not.
    package struct Sleep: Codable, Hashable, Sendable {
        /// When the sleep timer ends, in seconds since 1970.
        package var time: Double?
        package var fade: Double?
        package var fading: Bool?
        /// `item`, `queue` or `chapter`.
        package var after: String?

        package init(
            time: Double? = nil, fade: Double? = nil, fading: Bool? = nil, after: String? = nil
        ) {
            self.time = time
            self.fade = fade
            self.fading = fading
            self.after = after
        }
    }

    /// What files say of themselves is known of more items.
    package struct Tags: Codable, Hashable, Sendable {
        package var count: Int

        package init(count: Int) { self.count = count }
    }

    /// How much is new.
    package struct Badge: Codable, Hashable, Sendable {
        package var count: Int

        package init(count: Int) { self.count = count }
    }

    /// A step of a remote notification.
    package struct Push: Codable, Hashable, Sendable {
        package var phase: String
        package var push: Int?
        package var topic: String
        package var because: String?
        package var result: String?

        package init(
            phase: String, push: Int?, topic: String, because: String? = nil, result: String? = nil
        ) {
            self.phase = phase
            self.push = push
            self.topic = topic
            self.because = because
            self.result = result
        }
    }

    /// Something could not be done.
    package struct Failure: Codable, Hashable, Sendable {
        package var code: String
        package var message: String

        package init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The end of a run.
    package struct End: Codable, Hashable, Sendable {
        package var played: Int
        package var failed: Int

        package init(played: Int, failed: Int) {
            self.played = played
            self.failed = failed
        }
    }
}
