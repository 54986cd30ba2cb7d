public import Foundation
import Synchronization
import UndersongAppHost
import UndersongBase
import UndersongTransferClient
import UndersongTransfers

/// The settings of a session. Its values are copied when the session is created.
public final class URLSessionConfiguration: NSObject, NSCopying, Sendable {
    private let values: Mutex<SessionOptions>

    /// A configuration for transfers that continue without the application (J1, J18).
    ///
    /// `identifier` must not be empty, and names the session for ever: after a relaunch, a session
    /// with the same identifier gets the tasks and events of the earlier one (J12). It is shared by
    /// all programs of the user, so it begins best with the application's name, in reverse domain
    /// order.
    public static func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        precondition(!identifier.isEmpty, "A background session needs an identifier")
        return URLSessionConfiguration(SessionOptions(identifier: identifier))
    }

    /// A configuration for tasks that end with the application. Nothing of them is kept: there are no
    /// cookies, no cache, and no credentials on the disk.
    public static var `default`: URLSessionConfiguration {
        URLSessionConfiguration(SessionOptions(identifier: nil))
    }

    /// The same as `default`, which keeps nothing either.
    public static var ephemeral: URLSessionConfiguration { .default }

    /// The identifier of a background session; nil of any other.
    public var identifier: String? { options.identifier }

    /// True if tasks wait for external power and a network that is not metered (J7). Tasks that are
    /// begun in the background do in any case.
    public var isDiscretionary: Bool {
        get { self[\.isDiscretionary] }
        set { self[\.isDiscretionary] = newValue }
    }

    /// True if the application is launched when all tasks are done, or the delegate has to answer
    /// (J16), with `launchCommand`.
    public var sessionSendsLaunchEvents: Bool {
        get { self[\.sessionSendsLaunchEvents] }
        set { self[\.sessionSendsLaunchEvents] = newValue }
    }

    /// The program that is launched when all tasks of a background session are done, or the delegate
    /// has to answer, and the application does not run, or is stopped; with its arguments. The first
    /// word is an absolute path. No shell reads it. The program runs as this user in `/`, without input
    /// and output. Not one of Apple's.
    ///
    /// Under `UIApplicationMain` the default wakes or launches the application by way of the service.
    /// Elsewhere there is none: nothing is launched, and the events wait for the next launch. Another
    /// command has to launch into the background, and to handle the session's events:
    /// `UIApplication.Host.launch(into:)`, then `handleEvents(forBackgroundURLSession:)`.
    public var launchCommand: [String]? {
        get { options.effectiveLaunchCommand }
        set { self[\.launchCommand] = newValue }
    }

    /// Seconds without a byte after which a task fails; 60 by default. Tasks of a background session
    /// are then tried again.
    public var timeoutIntervalForRequest: TimeInterval {
        get { self[\.timeoutIntervalForRequest] }
        set { self[\.timeoutIntervalForRequest] = newValue }
    }

    /// Seconds after `resume()` after which a task is given up (J15); 604800, a week, by default.
    public var timeoutIntervalForResource: TimeInterval {
        get { self[\.timeoutIntervalForResource] }
        set { self[\.timeoutIntervalForResource] = newValue }
    }

    /// True if a cellular network may be used: here, one that is metered.
    public var allowsCellularAccess: Bool {
        get { self[\.allowsCellularAccess] }
        set { self[\.allowsCellularAccess] = newValue }
    }

    /// True if an expensive network may be used: here, one that is metered.
    public var allowsExpensiveNetworkAccess: Bool {
        get { self[\.allowsExpensiveNetworkAccess] }
        set { self[\.allowsExpensiveNetworkAccess] = newValue }
    }

    /// True if a constrained network may be used: here, one that is metered.
    public var allowsConstrainedNetworkAccess: Bool {
        get { self[\.allowsConstrainedNetworkAccess] }
        set { self[\.allowsConstrainedNetworkAccess] = newValue }
    }

    /// True if tasks wait while the machine has no network that they may use, instead of failing with
    /// `NSURLErrorNotConnectedToInternet`. Ignored by background sessions, whose tasks always wait.
    public var waitsForConnectivity: Bool {
        get { self[\.waitsForConnectivity] }
        set { self[\.waitsForConnectivity] = newValue }
    }

    /// Header fields of all requests; those of a request come before them. Both are texts.
    public var httpAdditionalHeaders: [AnyHashable: Any]? {
        get {
            let fields = self[\.fields]
            return fields.isEmpty
                ? nil : Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
        }
        set {
            self[\.fields] = (newValue ?? [:]).compactMap { name, value in
                guard let name = name.base as? String, let value = value as? String else {
                    return nil
                }
                return SessionTask.Field(name: name, value: value)
            }
            .sorted { $0.name < $1.name }
        }
    }

    /// The maximum number of tasks that run at a time with one host; 6 by default. Of background
    /// sessions it is from 1 to 6, and 2 by default.
    public var httpMaximumConnectionsPerHost: Int {
        get { self[\.httpMaximumConnectionsPerHost] }
        set { self[\.httpMaximumConnectionsPerHost] = newValue }
    }

    /// The policy of requests that have none of their own. See `URLRequest.CachePolicy`.
    public var requestCachePolicy: URLRequest.CachePolicy {
        get { self[\.requestCachePolicy] }
        set { self[\.requestCachePolicy] = newValue }
    }

    /// Ignored: there are no containers.
    public var sharedContainerIdentifier: String? {
        get { self[\.sharedContainerIdentifier] }
        set { self[\.sharedContainerIdentifier] = newValue }
    }

    /// Ignored: connections are kept open by what is sent regularly.
    public var shouldUseExtendedBackgroundIdleMode: Bool {
        get { self[\.shouldUseExtendedBackgroundIdleMode] }
        set { self[\.shouldUseExtendedBackgroundIdleMode] = newValue }
    }

    /// The location of the transfer process. Not one of Apple's.
    public var transferService: TransferServiceLocation {
        get { self[\.transferService] }
        set { self[\.transferService] = newValue }
    }

    init(_ options: SessionOptions) { values = Mutex(options) }

    /// A copy.
    public func copy(with zone: NSZone? = nil) -> Any { URLSessionConfiguration(options) }

    /// All values.
    var options: SessionOptions { values.withLock(\.self) }

    private subscript<Value: Sendable>(
        path: any WritableKeyPath<SessionOptions, Value> & Sendable
    ) -> Value {
        get { values.withLock { $0[keyPath: path] } }
        set { values.withLock { $0[keyPath: path] = newValue } }
    }
}

/// The location of the transfer process, `undersong-transferd`, and the way to start it if it does
/// not run.
///
/// The default has nothing from the environment: the user's runtime folder `/run/user/UID` (or one
/// in `/tmp` where there is none), the session `default`, which `undersong download list` shows too,
/// and the program next to this one's, in `/usr/local/bin` or in `/usr/bin`. Under `UIApplicationMain`
/// it is beside the service that knows the application: in the same runtime folder, and by PATH.
public struct TransferServiceLocation: Hashable, Sendable {
    /// The name under which the process runs; each has its own process.
    public var session = "default"
    /// The folder of the user's sockets; nil for the usual one.
    public var runtimeFolder: String?
    /// The folder in which records and files are kept; nil if the process finds it by itself, from
    /// XDG_STATE_HOME and HOME.
    public var stateFolder: String?
    /// The path of the program; nil for the usual one.
    public var program: String?

    /// The usual place.
    public init() {}

    var location: TransferLocation {
        var location = TransferLocation.standard(session: session, beside: AppLaunch.service)
        if let runtimeFolder { location.runtimeFolder = runtimeFolder }
        if let program { location.program = program }
        location.stateFolder = stateFolder
        return location
    }
}

/// The values of a configuration.
struct SessionOptions: Sendable {
    /// Nil for a session that ends with the process.
    let identifier: String?
    var isDiscretionary = false
    var sessionSendsLaunchEvents = true
    var launchCommand: [String]?
    var timeoutIntervalForRequest = 60.0
    var timeoutIntervalForResource = 604_800.0
    var allowsCellularAccess = true
    var allowsExpensiveNetworkAccess = true
    var allowsConstrainedNetworkAccess = true
    var waitsForConnectivity: Bool
    var fields: [SessionTask.Field] = []
    var httpMaximumConnectionsPerHost: Int
    var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    var sharedContainerIdentifier: String?
    var shouldUseExtendedBackgroundIdleMode = false
    var transferService = TransferServiceLocation()
    let clock: any HostClock = SystemClock()

    init(identifier: String?) {
        self.identifier = identifier
        waitsForConnectivity = identifier != nil
        httpMaximumConnectionsPerHost = identifier == nil ? 6 : 2
    }

    /// The command that is launched when all tasks are done.
    var launch: [String]? { sessionSendsLaunchEvents ? effectiveLaunchCommand : nil }

    /// The command that was set, or that of an application which the service knows.
    var effectiveLaunchCommand: [String]? {
        launchCommand ?? identifier.flatMap { AppLaunch.command(for: .transfers($0)) }
    }

    /// True if a metered network may be used.
    var usesMetered: Bool {
        allowsCellularAccess && allowsExpensiveNetworkAccess && allowsConstrainedNetworkAccess
    }
}
