extension SessionEvent.Kind {
    /// What the field `event` says.
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
        case .error: "error"
        case .end, .runEnded: "end"
        }
    }
}

extension SessionEnd.Reason {
    /// What the field `reason` of an `end` says.
    var name: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .outputFailed: "outputFailed"
        }
    }
}
