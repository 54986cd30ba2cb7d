package import UndersongBackground

extension UnifiedPushClient {
    /// What it reports to distributors, and which one it uses.
    package struct Configuration: Sendable {
        /// This process's name on the bus.
        package var name: String
        /// What it needs pushes for, for people: 100 bytes at most.
        package var description: String
        /// The distributor's name on the bus; nil for any.
        package var distributor: String?
        /// The public key of the only sender; nil for any.
        package var vapid: String?

        package init(
            name: String, description: String, distributor: String? = nil, vapid: String? = nil
        ) {
            self.name = name
            self.description = description
            self.distributor = distributor
            self.vapid = vapid
        }
    }

    /// What others do for it. They are called on any thread, one at a time.
    package struct Services: Sendable {
        /// Makes a new token and keys; nil if there are no random numbers.
        package var renew: @Sendable () -> UnifiedPushRegistration?
        /// Writes the registration to the disk. Returns why that has failed.
        package var keep: @Sendable (UnifiedPushRegistration) -> String?
        /// What distinguishes a message from others.
        package var identify: @Sendable ([UInt8]) -> String
        /// Decrypts a message.
        package var open:
            @Sendable ([UInt8], UnifiedPushRegistration.Keys) ->
                Result<[UInt8], UnifiedPushConnector.Unreadable>
        /// Hands something on: the last argument is called once, on any thread, with whether it was
        /// taken, or refused for good.
        package var handOn:
            @Sendable (
                _ identifier: String, _ content: PushContent,
                _ answer: @escaping @Sendable (Bool) -> Void
            ) -> Void
        /// Writes a trouble into the log.
        package var log: @Sendable (String) -> Void

        package init(
            renew: @escaping @Sendable () -> UnifiedPushRegistration?,
            keep: @escaping @Sendable (UnifiedPushRegistration) -> String?,
            identify: @escaping @Sendable ([UInt8]) -> String,
            open:
                @escaping @Sendable ([UInt8], UnifiedPushRegistration.Keys) ->
                Result<[UInt8], UnifiedPushConnector.Unreadable>,
            handOn:
                @escaping @Sendable (String, PushContent, @escaping @Sendable (Bool) -> Void) ->
                Void,
            log: @escaping @Sendable (String) -> Void
        ) {
            self.renew = renew
            self.keep = keep
            self.identify = identify
            self.open = open
            self.handOn = handOn
            self.log = log
        }
    }
}
