import Synchronization
package import UndersongBackground
package import UndersongBase
import UndersongControl

/// Has `undersong-transferd` listen for pushes, since this program may not use the network. The
/// connection to it is kept, which shows when that program ends.
package final class TransferPushProvider: PushProvider {
    private struct Current {
        enum Phase {
            /// The program is asked to listen.
            case beginning
            case listening
            /// The connection was lost before the program listened.
            case lost
        }

        var link: ControlLink?
        var phase = Phase.beginning
    }

    /// The seconds after which a call counts as hanging: that to listen ends a registration and
    /// begins another, each within three.
    private static let patience = (listening: 10.0, status: 2.0)

    private let location: TransferLocation
    private let clock: any HostClock
    private let current = Mutex(Current())

    package init(_ location: TransferLocation, clock: any HostClock) {
        self.location = location
        self.clock = clock
    }

    package func listen(
        to source: PushSource, whenLost: @escaping @Sendable () -> Void
    ) async throws(PushProviderError) {
        let link = newLink()
        let last = current.withLock { current in
            defer { current = Current(link: link) }
            return current.link
        }
        last?.close()
        let handlers = ControlLink.Handlers(
            ended: { [weak self, weak link] _, _ in
                if let link, self?.lose(link) == true { whenLost() }
                return nil
            })
        do throws(PushProviderError) {
            _ = try await ask(
                ListenForPushes(to: source), on: link, within: Self.patience.listening, handlers)
        } catch {
            link.close()
            throw error
        }
        guard source != .local else { return link.close() }
        let isLost = current.withLock { current in
            guard current.link === link, current.phase == .beginning else {
                return current.link === link
            }
            current.phase = .listening
            return false
        }
        if isLost { throw .unavailable("its program has ended") }
    }

    package func subscription() async throws(PushProviderError) -> UnifiedPushStatus? {
        let link = newLink()
        defer { link.close() }
        return try await ask(
            GetPushListening(), on: link, within: Self.patience.status, ControlLink.Handlers()
        ).subscription
    }

    private func newLink() -> ControlLink {
        ControlLink(location, name: "undersongd", clock: clock)
    }

    private func ask<Call: ControlCall>(
        _ call: Call, on link: ControlLink, within seconds: Double,
        _ handlers: ControlLink.Handlers
    ) async throws(PushProviderError) -> Call.Reply {
        do throws(ControlError) {
            return try await link.call(call, within: seconds, handlers)
        } catch {
            throw PushProviderError(error)
        }
    }

    /// A connection was lost; returns whether it was the one on which the program listens.
    private func lose(_ link: ControlLink) -> Bool {
        current.withLock { current in
            guard current.link === link else { return false }
            defer { current.phase = .lost }
            return current.phase == .listening
        }
    }
}

extension PushProviderError {
    /// The reason of an error of the wire, without the operation that it names.
    fileprivate init(_ error: ControlError) {
        let parts = error.message.split(separator: ": ", maxSplits: 1)
        let reason = parts.count == 2 ? String(parts[1]) : error.message
        self = error.code == .invalidParams ? .refused(reason) : .unavailable(reason)
    }
}
