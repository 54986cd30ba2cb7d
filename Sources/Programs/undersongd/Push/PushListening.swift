package import UndersongBackground
import UndersongBase
import UndersongPlayback

/// Listening for pushes at an origin besides the socket, through the provider's losses.
final class PushListening {
    private static let purpose = "listen for pushes"

    private let provider: (any PushProvider)?
    private let clock: any HostClock
    private let alarm: HostAlarm
    private var backoff = ProviderBackoff()
    /// The number of the last attempt to have the provider listen.
    private var attempt = 0

    init(_ service: PlayerService) {
        provider = service.configuration.pushProvider
        clock = service.configuration.clock
        alarm = HostAlarm(clock, leeway: 50_000_000) { [weak service] in
            service?.post { await $0.feature(PushFeature.self).listening.listenAgain($0) }
        }
    }

    private var now: Double { clock.secondsSinceBoot }

    private func source(_ service: isolated PlayerService) -> PushSource {
        service.feature(PushFeature.self).registration.source
    }

    /// Has the provider listen again, in case its program has ended with the last service.
    func resume(_ source: PushSource, _ service: isolated PlayerService) {
        guard source != .local else { return }
        service.post { await $0.feature(PushFeature.self).listening.listenAgain($0) }
    }

    /// Has the provider listen there from now on, and nowhere else.
    ///
    /// - Throws: That is not possible, for the error's reason; it listens where it did before.
    func listen(
        to source: PushSource, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        guard let provider else {
            guard source == .local else {
                throw ServiceError(
                    .notPossible, Self.purpose, "this service has no network")
            }
            return
        }
        do throws(ServiceError) {
            try await attempt(source, by: provider, service)
        } catch {
            // Where it listened before, it may not do so any more.
            listenLater(service)
            throw error
        }
        try await service.feature(PushFeature.self)
            .setSource(source, to: Self.purpose, service)
    }

    /// The state of the registration with a distributor of UnifiedPush; nil for another source.
    func subscription(
        to source: PushSource, _ service: isolated PlayerService
    ) async -> UnifiedPushStatus? {
        guard case .unifiedpush = source else { return nil }
        do throws(PushProviderError) {
            if let found = try await provider?.subscription() { return found }
        } catch {
            let error = ServiceError(error, to: "look at the registration with UnifiedPush")
            await service.report(error.description, code: .pushFailed)
        }
        return UnifiedPushStatus(.failed, reason: .unknown)
    }

    /// Ends the timer for good.
    func end() { alarm.stop() }

    private func attempt(
        _ source: PushSource, by provider: any PushProvider, _ service: isolated PlayerService
    ) async throws(ServiceError) {
        alarm.set(boot: nil, wall: nil)
        attempt += 1
        let number = attempt
        do throws(PushProviderError) {
            try await provider.listen(to: source) { [weak service] in
                service?.post { $0.feature(PushFeature.self).listening.wasLost(number, $0) }
            }
        } catch {
            throw ServiceError(error, to: Self.purpose)
        }
        backoff.began(at: now)
    }

    private func listenAgain(_ service: isolated PlayerService) async {
        let source = source(service)
        guard source != .local, let provider else { return }
        do throws(ServiceError) {
            try await attempt(source, by: provider, service)
        } catch {
            if !backoff.isFailing {
                await service.report(error.description, code: .pushFailed)
            }
            backoff.failed()
            if error.code != .invalidValue { listenLater(service) }
        }
    }

    private func wasLost(_ number: Int, _ service: isolated PlayerService) {
        if attempt == number { listenLater(service) }
    }

    private func listenLater(_ service: isolated PlayerService) {
        guard source(service) != .local else { return }
        alarm.set(boot: now + backoff.lost(at: now), wall: nil)
    }
}

extension PlayerService {
    /// Sets the origin of pushes besides the socket.
    ///
    /// - Throws: That is not possible, for the error's reason.
    package func setPushSource(_ source: PushSource) async throws(ServiceError) {
        let feature = feature(PushFeature.self)
        await feature.open(self)
        try await feature.listening.listen(to: source, self)
    }
}

extension ServiceError {
    /// The error for what a provider of pushes cannot do.
    fileprivate init(_ error: PushProviderError, to operation: String) {
        switch error {
        case .unavailable(let reason): self.init(.notPossible, operation, reason)
        case .refused(let reason): self.init(.invalidValue, operation, reason)
        }
    }
}

/// The delays before a provider of pushes is to listen again after it was lost. Times are in seconds
/// of any clock that never goes backward.
struct ProviderBackoff {
    /// The seconds for which it has to listen to count as steady.
    private static let steadyTime = 60.0

    private var delays = Backoff(seconds: 1...300)
    private var beginning: Double?

    /// True if it could not listen when that was tried last.
    private(set) var isFailing = false

    /// Notes that it listens.
    mutating func began(at now: Double) { (beginning, isFailing) = (now, false) }

    /// Notes that it could not listen.
    mutating func failed() { isFailing = true }

    /// Notes that it was lost, or could not listen. Returns the seconds to wait.
    mutating func lost(at now: Double) -> Double {
        if let beginning, now - beginning >= Self.steadyTime { delays.reset() }
        beginning = nil
        return delays.next()
    }
}
