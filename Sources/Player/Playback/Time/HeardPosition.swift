/// The position heard in an item.
package struct HeardPosition: Equatable, Sendable {
    package var item: ItemID
    /// The time in the item at `hostTime`.
    package var time: CMTime
    package var hostTime: Int64
    /// Seconds of the item per second from then on; 0 while the player is silent.
    package var rate: Double
    /// The time in the item, in seconds, up to which the device has samples: a stalled device plays
    /// nothing beyond it.
    package var latest: Double
    /// The possible error of `time` in seconds, as far as the device's own reports show.
    package var uncertainty: Double

    package init(
        item: ItemID, time: CMTime, hostTime: Int64, rate: Double, latest: Double,
        uncertainty: Double
    ) {
        self.item = item
        self.time = time
        self.hostTime = hostTime
        self.rate = rate
        self.latest = latest
        self.uncertainty = uncertainty
    }

    /// The time in the item at `hostTime`, in seconds.
    package func seconds(at hostTime: Int64) -> Double {
        max(0, min(time.seconds + Double(hostTime - self.hostTime) / 1e9 * rate, latest))
    }
}
