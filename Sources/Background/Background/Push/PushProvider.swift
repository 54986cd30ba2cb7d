/// The origin of pushes besides the service's socket.
package enum PushSource: Hashable, Sendable {
    /// None.
    case local
    /// ntfy's topic at this URL.
    case ntfy(url: String)
    /// A distributor of UnifiedPush, and this sender only, if there is a key of one; nil for those of
    /// the last time.
    case unifiedPush(distributor: String?, vapid: String?)
}

/// The reason why a provider cannot do something.
package enum PushProviderError: Error, Hashable, Sendable {
    /// It can be tried again.
    case unavailable(String)
    /// The same request cannot succeed.
    case refused(String)
}

/// Brings pushes from elsewhere.
package protocol PushProvider: Sendable {
    /// Listens there from now on, also after a restart, and nowhere else. `whenLost` is called once,
    /// on any thread, if it listens no more although nobody has asked for that.
    func listen(
        to source: PushSource, whenLost: @escaping @Sendable () -> Void
    ) async throws(PushProviderError)

    /// The state of the registration with a distributor of UnifiedPush; nil if there is to be none.
    func subscription() async throws(PushProviderError) -> UnifiedPushStatus?
}
