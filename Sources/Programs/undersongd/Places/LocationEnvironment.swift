import UndersongBase
import UndersongLinuxPlatform
package import UndersongLocation
import UndersongTransferClient

/// The parts of the machine that locations need.
package struct LocationEnvironment: Sendable {
    /// Makes a source.
    package var makeSource: @Sendable (LocationSourceChoice) -> any LocationSource

    package init(makeSource: @escaping @Sendable (LocationSourceChoice) -> any LocationSource) {
        self.makeSource = makeSource
    }

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
