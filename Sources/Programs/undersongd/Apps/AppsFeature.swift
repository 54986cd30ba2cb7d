import UndersongAudioSession
import UndersongBackground
import UndersongBase
import UndersongStore

/// The programs that the service treats as apps: performs what their supervisor decides.
///
/// Other features hand work to clients by `begin(_:of:)` and `end(_:of:overran:)`, so that a program
/// that is stopped runs for it, and ask for apps that do not run by `summon(_:for:)`.
final class AppsFeature: BackgroundFeature {
    static let methods: [WireMethod] = []

    init(_ service: PlayerService) {}

    // MARK: For other features

    /// The registered apps, by identifier.
    var apps: [String: App] { [:] }

    /// The app whose process a client is; nil for another program.
    func app(of client: ClientID) -> String? { nil }

    /// The state of an app.
    func state(of app: String) -> AppState { .notRunning }

    /// Returns false if a client's process can do no work, because somebody else than job control has
    /// stopped it. Reads `/proc`.
    func canWork(_ client: ClientID, _ service: isolated PlayerService) -> Bool { true }

    /// A client is given work from now on: it runs, although job control may have stopped it.
    func begin(_ work: AppWork, of client: ClientID) {}

    /// Work of a client is over; `overran` if it was not completed in time.
    func end(_ work: AppWork, of client: ClientID, overran: Bool = false) {}

    /// Wakes an app, or launches it into the background. Returns false if there is no such app, or the
    /// user has closed it.
    @discardableResult
    func summon(_ app: String, for reason: AppReason) -> Bool { false }

    /// Called, with the app's identifier, when an app has connected, changed its state or ended.
    func whenChanged(_ body: @escaping (String, AppState, isolated PlayerService) async -> Void) {}
}
