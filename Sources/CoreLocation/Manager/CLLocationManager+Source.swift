public import Foundation
import LinuxPlatform
import Location
import LocationNetwork
import Threads
import Tracks
import TransferClient

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
        case .geoClue: center.setSource(Self.geoClue)
        case .gpsd(let host, let port):
            center.setSource(
                GpsdSource(
                    host: host, port: port, .standard(), client: Self.name,
                    clock: SystemClock()))
        case .replay(let file, let speed):
            center.setSource(try Self.replay(file, speed: speed))
        }
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
