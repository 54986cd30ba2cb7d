public import Foundation
import UndersongAppHost
import UndersongBase
import UndersongLinuxPlatform
import UndersongLocation
package import UndersongTransferClient

extension CLLocationManager {
    /// The system's side of locations. See `Host`.
    public static var host: Host { Host(center: .shared) }

    /// Plays the system's part: it asks the user, knows what the program declares, and chooses what
    /// measures. Any thread may use it.
    ///
    /// The foreground and the background are those of `UIApplication.shared.host` in the module
    /// `UIKit`; a program that does not use it is in the foreground.
    public struct Host: Sendable {
        package let center: LocationCenter

        package init(center: LocationCenter) { self.center = center }

        /// A question to the user.
        public struct AuthorizationRequest: Hashable, Sendable {
            /// `authorizedWhenInUse` or `authorizedAlways`: what is asked for.
            public let status: CLAuthorizationStatus
            /// True if the use in the foreground was allowed before, and more is asked for now.
            public let isUpgrade: Bool
            /// The program's description of its use of places (D10).
            public let usageDescription: String
        }

        /// Calls `handler` on the main actor when the program asks the user to allow the use of
        /// places. The answer is `setAuthorization(_:)`, then or later; until then, nothing happens.
        public func onAuthorizationRequest(
            _ handler: @escaping @MainActor @Sendable (AuthorizationRequest) -> Void
        ) {
            center.state.withLock { state in
                state.promptHandler = { prompt in
                    handler(
                        AuthorizationRequest(
                            status: prompt.scope == .always
                                ? .authorizedAlways : .authorizedWhenInUse,
                            isUpgrade: prompt.isUpgrade, usageDescription: prompt.text))
                }
            }
        }

        /// The user has decided, or has changed the decision in the settings.
        public func setAuthorization(_ status: CLAuthorizationStatus) {
            center.handle(.authorize(LocationAuthorization.Status(status)))
        }

        /// Declares the use of places, instead of `NSLocationWhenInUseUsageDescription`,
        /// `NSLocationAlwaysAndWhenInUseUsageDescription` and `NSLocationAlwaysUsageDescription` in
        /// the main bundle's `Info.plist` (D9).
        public func declareUsage(
            whenInUse: String? = nil, alwaysAndWhenInUse: String? = nil, always: String? = nil
        ) {
            center.declare(
                LocationUsage(
                    whenInUse: whenInUse, alwaysAndWhenInUse: alwaysAndWhenInUse, always: always))
        }

        /// Simulates that the machine is at a place from now on, as Xcode does (D13). Another source
        /// is stopped.
        public func simulate(_ location: CLLocation) { center.simulate(location) }

        /// Keeps the authorization and the watched regions in `file`, after those that an earlier
        /// process has left there are restored. Without a file, both end with the process.
        ///
        /// Called once, before the first manager is created, in one process at a time. The folder has
        /// to exist. If the file cannot be written, this throws; if that happens later, a message
        /// says so.
        public func keepLocations(in file: URL) throws {
            let path = file.path(percentEncoded: false)
            guard let reason = center.keep(in: path) else { return }
            throw CocoaError(
                .fileWriteUnknown,
                userInfo: [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: reason])
        }

        /// Calls `handler` on the main actor with messages of fixes that were ignored, and of files
        /// that cannot be written.
        public func onMessage(_ handler: @escaping @MainActor @Sendable (String) -> Void) {
            center.state.withLock { $0.messageHandler = handler }
        }
    }
}

extension CLLocationManager.Host {
    /// A source of places.
    public enum Source: Hashable, Sendable {
        /// GeoClue, on the system bus.
        case geoClue
        /// A receiver of satellites by gpsd on this host, which `undersong-transferd` watches.
        case gpsd(host: String = "localhost", port: Int = 2947)
        /// A recorded track, of GPX or NMEA, at this many seconds of it per second.
        case replay(URL, speed: Double = 1)

        /// A route that comes with Undersong, as a recorded track: `drive`, `run` or `ride`, as
        /// Xcode simulates movements. Its file is sought beside this program, and where Undersong is
        /// installed for all users.
        ///
        /// - Throws: There is no such route, or its file is missing.
        public static func route(_ name: String, speed: Double = 1) throws -> Source {
            guard let route = Route(rawValue: name) else {
                throw CocoaError(
                    .fileNoSuchFile,
                    userInfo: [
                        NSLocalizedDescriptionKey:
                            "there is no route '\(name)'; the routes are \(Route.names)"
                    ])
            }
            let paths =
                ResourceFile.paths(route.file)
                + ["/usr/local", "/usr"].map { "\($0)/share/undersong/\(route.file)" }
            guard let path = paths.first(where: FileManager.default.isReadableFile) else {
                throw CocoaError(
                    .fileNoSuchFile,
                    userInfo: [
                        NSFilePathErrorKey: paths[0],
                        NSLocalizedDescriptionKey: "\(route.file) is not installed",
                    ])
            }
            return .replay(URL(filePath: path), speed: speed)
        }
    }

    /// Measures by `source` from now on; by GeoClue without this call.
    ///
    /// - Throws: The file of a track cannot be read, or is not a track.
    public func setSource(_ source: Source) throws {
        switch source {
        case .geoClue: center.setSource(Self.geoClue, later: .geoClue)
        case .gpsd(let host, let port):
            measure(by: host, port, .standard(beside: AppLaunch.service))
        case .replay(let file, let speed):
            center.setSource(try Self.replay(file, speed: speed))
        }
    }

    /// Measures by gpsd, by way of the process at `location`.
    package func measure(by host: String, _ port: Int, _ location: TransferLocation) {
        let source = GpsdSource(
            host: host, port: port, location, client: Self.name, clock: SystemClock())
        center.setSource(source, later: .gpsd(host: host, port: port))
    }

    /// Lets the regions be watched while this program does not run, by `undersong-transferd`, which
    /// starts `command` when one of them is entered or left: the absolute path of a program, and its
    /// arguments. It has to launch into the background, and to monitor the regions as this one does;
    /// its delegates get the crossing as soon as it calls this.
    ///
    /// An app under `UIApplicationMain` that the service knows needs no command: the service wakes or
    /// launches it. Any other program without one is not started.
    ///
    /// The source is GeoClue or the gpsd that was chosen with `setSource(_:)`, and the user has to
    /// allow it always. Called once, after `keepLocations(in:)`, when the manager that is to hear of
    /// the crossing has its delegate. A failure is a message; see `onMessage(_:)`. Not one of Apple's.
    public func launchForRegions(by command: [String]? = nil) {
        guard let command = command ?? AppLaunch.command(for: .location) else {
            return center.report("no command starts this program when a region is crossed")
        }
        launchForRegions(by: command, .standard(beside: AppLaunch.service))
    }

    /// Lets the regions be watched by the process at `location`.
    package func launchForRegions(by command: [String], _ location: TransferLocation) {
        center.handOver(to: command, as: Self.name, location)
    }

    /// GeoClue, which knows this program by the name of its executable.
    static var geoClue: GeoClueSource {
        var configuration = GeoClueSource.Configuration()
        configuration.desktopID = name
        return GeoClueSource(configuration, clock: SystemClock())
    }

    private static func replay(_ file: URL, speed: Double) throws -> ReplaySource {
        precondition(speed > 0, "the speed of a replay is not above 0")
        let bytes = try Data(contentsOf: file)
        do throws(TrackError) {
            let track = try Track.read(Array(bytes))
            return ReplaySource(
                track, name: file.lastPathComponent, speed: speed, clock: SystemClock()
            ) {}
        } catch {
            throw CocoaError(
                .fileReadCorruptFile,
                userInfo: [
                    NSFilePathErrorKey: file.path(percentEncoded: false),
                    NSLocalizedDescriptionKey: error.description,
                ])
        }
    }

    private static var name: String {
        Bundle.main.executableURL?.lastPathComponent ?? "CoreLocation"
    }
}

extension LocationUsage {
    /// The usage that a bundle's `Info.plist` declares.
    static func declared(in bundle: Bundle) -> LocationUsage {
        func text(_ key: String) -> String? { bundle.object(forInfoDictionaryKey: key) as? String }
        return LocationUsage(
            whenInUse: text("NSLocationWhenInUseUsageDescription"),
            alwaysAndWhenInUse: text("NSLocationAlwaysAndWhenInUseUsageDescription"),
            always: text("NSLocationAlwaysUsageDescription"))
    }
}

extension LocationFix {
    /// Creates the fix of a place that a program simulates.
    init(_ location: CLLocation) {
        self.init(
            Coordinate(location.coordinate), horizontalAccuracy: location.horizontalAccuracy,
            altitude: location.altitude, verticalAccuracy: location.verticalAccuracy,
            speed: location.speed, speedAccuracy: location.speedAccuracy, course: location.course,
            courseAccuracy: location.courseAccuracy,
            time: location.timestamp.timeIntervalSince1970, source: .simulation)
    }
}
