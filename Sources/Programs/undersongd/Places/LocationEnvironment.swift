import UndersongBase
import UndersongLinuxPlatform
import UndersongPlayback
import UndersongTransferClient

extension LocationEnvironment {
    /// This machine: GeoClue on the system bus, or on that at `busAddress`, and gpsds by way of the
    /// program that `transfers` names.
    static func system(
        transfers: TransferLocation, busAddress: String?, clock: any HostClock
    ) -> LocationEnvironment {
        LocationEnvironment { choice in
            switch choice {
            case .geoClue:
                GeoClueSource(GeoClueSource.Configuration(address: busAddress), clock: clock)
            case .gpsd(let host, let port):
                GpsdSource(
                    host: host, port: port, transfers, client: "undersongd", clock: clock)
            }
        }
    }
}
