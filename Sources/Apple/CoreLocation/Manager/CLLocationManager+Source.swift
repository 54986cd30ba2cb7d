public import Foundation
import UndersongBase
import UndersongLinuxPlatform
import UndersongLocation
package import UndersongTransferClient

extension CLLocationManager.Host {
    /// What measures where the machine is.
    public enum Source: Hashable, Sendable {
        /// GeoClue, on the system bus.
        case geoClue
        /// A receiver of satellites by gpsd on this host, which `undersong-transferd` watches.
        case gpsd(host: String = "localhost", port: Int = 2947)
        /// A recorded track, of GPX or NMEA, at this many seconds of it per second.
        case replay(URL, speed: Double = 1)
    }

    /// Measures by `source` from now on; by GeoClue without this call. Errors: the file of a track
    /// cannot be read, or is no track.
    public func setSource(_ source: Source) throws {
        switch source {
        case .geoClue: center.setSource(Self.geoClue, later: .geoClue)
        case .gpsd(let host, let port): measure(by: host, port, .standard())
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
    /// What watches is GeoClue or the gpsd that was chosen with `setSource(_:)`, and only what the
    /// user always allows is watched. Called once, after `keepLocations(in:)`, when the manager that is
    /// to hear of the crossing has its delegate. What goes wrong is a message; see `onMessage(_:)`.
    /// Not one of Apple's.
    public func launchForRegions(by command: [String]) {
        launchForRegions(by: command, .standard())
    }

    /// The same by way of the process at `location`.
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
