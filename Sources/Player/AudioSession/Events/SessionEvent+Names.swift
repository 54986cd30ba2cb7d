import UndersongBackground

extension SessionEvent.Kind {
    /// The value of the field `event`.
    public var name: String {
        switch self {
        case .session: "session"
        case .queue: "queue"
        case .itemBegan, .itemMeasured, .itemEnded, .itemLeft: "item"
        case .jump: "jump"
        case .boundary: "boundary"
        case .clock: "clock"
        case .settings: "settings"
        case .state: "state"
        case .time: "time"
        case .application: "application"
        case .policy: "policy"
        case .mediaServicesWereLost: "mediaServicesWereLost"
        case .mediaServicesWereReset: "mediaServicesWereReset"
        case .routeChanged: "routeChange"
        case .interruption: "interruption"
        case .otherAudio: "otherAudio"
        case .network: "network"
        case .metadata: "metadata"
        case .episode: "episode"
        case .refresh: "refresh"
        case .processing: "processing"
        case .sleep: "sleep"
        case .tags: "tags"
        case .badge: "badge"
        case .push: "push"
        case .location: "location"
        case .region: "region"
        case .visit: "visit"
        case .error: "error"
        case .end, .runEnded: "end"
        }
    }
}

extension InterruptionSource {
    /// The name of the interrupting program or session; nil if the kind says it all.
    package var name: String? {
        switch self {
        case .call(let application): application
        case .session(let name): name
        case .command, .sleep: nil
        }
    }
}
