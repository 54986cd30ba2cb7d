package import UndersongBackground
import UndersongPlayback

/// The origin of pushes besides the socket, and listening there through the provider's losses.
extension PlayerService {
    private static let purpose = "listen for pushes"

    /// Sets the origin of pushes besides the socket. Errors: that is not possible, and why.
    package func setPushSource(_ source: PushSource) async throws(ServiceError) {
        let desk = await pushDesk()
        guard let provider = configuration.pushProvider else {
            guard source == .local else {
                throw ServiceError(
                    .notPossible, Self.purpose, "this service has no way to the network")
            }
            return
        }
        do throws(ServiceError) {
            try await listen(to: source, by: provider)
        } catch {
            // Where it listened before, it may not do so any more.
            listenLater()
            throw error
        }
        desk.registration.source = source
        try await keepRegistration(to: Self.purpose)
    }

    /// Has the provider listen again, in case its program has ended with the last service.
    func resumeListening() {
        guard pushes?.registration.source != .local else { return }
        post { await $0.listenAgain() }
    }

    private func listen(
        to source: PushSource, by provider: any PushProvider
    ) async throws(ServiceError) {
        guard let number = pushes?.beginListening() else { return }
        do throws(PushProviderError) {
            try await provider.listen(to: source) { [weak self] in
                self?.post { $0.providerWasLost(number) }
            }
        } catch {
            throw ServiceError(error, to: Self.purpose)
        }
        pushes?.listens()
    }

    private func listenAgain() async {
        guard let source = pushes?.registration.source, source != .local,
            let provider = configuration.pushProvider
        else { return }
        do throws(ServiceError) {
            try await listen(to: source, by: provider)
        } catch {
            if pushes?.backoff.isFailing == false {
                await report(error.description, code: "push-failed")
            }
            pushes?.failedToListen()
            if error.code != .invalidValue { listenLater() }
        }
    }

    private func providerWasLost(_ number: Int) {
        guard pushes?.listening == number else { return }
        listenLater()
    }

    private func listenLater() {
        guard pushes?.registration.source != .local else { return }
        pushes?.listenLater { [weak self] in self?.post { await $0.listenAgain() } }
    }
}

extension ServiceError {
    /// The error for what a provider of pushes cannot do.
    init(_ error: PushProviderError, to operation: String) {
        switch error {
        case .unavailable(let reason): self.init(.notPossible, operation, reason)
        case .refused(let reason): self.init(.invalidValue, operation, reason)
        }
    }
}
