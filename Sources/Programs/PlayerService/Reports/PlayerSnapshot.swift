package import UndersongBackground

/// The player at a moment at which Apple's systems take a snapshot of an application's interface: when
/// it has left the foreground, and after work in the background (K4).
package struct PlayerSnapshot: Sendable {
    /// After what it was taken.
    package enum Moment: String, Sendable {
        /// The host has left the foreground.
        case background
        /// A background task is over.
        case fetch, refresh, processing
        /// A push was handled.
        case push

        init(after kind: RefreshKind) {
            self =
                switch kind {
                case .fetch: .fetch
                case .refresh: .refresh
                case .processing: .processing
                }
        }
    }

    package var moment: Moment
    package var status: PlayerStatus
    /// Background tasks, with the last run.
    package var tasks: RefreshStatus
}

extension PlayerService {
    /// Takes a snapshot for the one who keeps it, on a later turn, so that it shows all that follows from
    /// this one.
    func takeSnapshot(after moment: PlayerSnapshot.Moment) {
        guard let keep = configuration.keepSnapshot else { return }
        post { service in
            // What the user looks at needs no snapshot.
            guard service.host.state == .background else { return }
            let (status, tasks) = (await service.status, await service.refreshStatus(limit: 1))
            keep(PlayerSnapshot(moment: moment, status: status, tasks: tasks))
        }
    }
}
