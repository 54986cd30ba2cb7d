/// The registration of a service for pushes, with the throttle and the counts, as it is kept.
package struct PushRegistration: Codable, Hashable, Sendable {
    /// The token by which senders name this service.
    package var token: String
    /// The origin of pushes besides the socket.
    package var source = PushSource.local
    /// The numbers of pushes, as far as their ends are kept.
    package var counts = PushStatus.Counts()
    /// The seconds until all wakes are available, at `time`.
    package var debt = 0.0
    /// The time of writing, in seconds since 1970.
    package var time = 0.0
    /// True if the service was shut down and not opened since.
    package var isShutDown = false
    /// The topics of apps that have registered once.
    package var appTopics: Set<String> = []

    package init(token: String) { self.token = token }

    /// The seconds until all wakes are available. A clock that was set back does not prolong them.
    func debt(at date: Double) -> Double { debt - max(0, date - time) }
}
