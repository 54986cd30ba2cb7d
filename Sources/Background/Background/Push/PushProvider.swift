import UndersongBase

/// The origin of pushes besides the service's socket.
package enum PushSource: Codable, Hashable, Sendable {
    /// The kinds, by the names that users give them.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// No origin besides the socket.
        case local
        /// A topic of ntfy.
        case ntfy
        /// A distributor of UnifiedPush.
        case unifiedpush
    }

    /// No provider.
    case local
    /// ntfy's topic at this URL.
    case ntfy(url: String)
    /// A distributor of UnifiedPush, and this sender only, if there is a key of one; nil for those of
    /// the last time.
    case unifiedpush(distributor: String?, vapid: String?)

    /// The kind.
    package var kind: Kind {
        switch self {
        case .local: .local
        case .ntfy: .ntfy
        case .unifiedpush: .unifiedpush
        }
    }

    /// The URL of ntfy's topic, without user, password and query; nil for other origins.
    var publicURL: String? {
        if case .ntfy(let url) = self { NetworkName.withoutSecrets(url) } else { nil }
    }
}

/// The reason a provider cannot do something.
package enum PushProviderError: Error, Hashable, Sendable {
    /// It can be tried again.
    case unavailable(String)
    /// The same request cannot succeed.
    case refused(String)
}

/// Brings pushes from elsewhere.
package protocol PushProvider: Sendable {
    /// Listens there from now on, also after a restart, and nowhere else. `whenLost` is called
    /// once, on any thread, if it listens no more although it was not stopped.
    func listen(
        to source: PushSource, whenLost: @escaping @Sendable () -> Void
    ) async throws(PushProviderError)

    /// The state of the registration with a distributor of UnifiedPush; nil if there is to be none.
    func subscription() async throws(PushProviderError) -> UnifiedPushStatus?
}
