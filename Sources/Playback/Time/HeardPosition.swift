/// Where an item is heard, for anybody who asks.
package struct HeardPosition: Equatable, Sendable {
    package var item: ItemID
    /// The item's time at `hostTime`.
    package var time: CMTime
    package var hostTime: Int64
    /// Seconds of the item in one second from then on; 0 while the player is silent.
    package var rate: Double
    /// The item's time, in seconds, that the device has samples for: a device that has stopped plays
    /// nothing beyond it.
    package var latest: Double
    /// Seconds by which `time` may be off, as far as the device's own reports say.
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

    /// The item's time at `hostTime`, in seconds.
    package func seconds(at hostTime: Int64) -> Double {
        max(0, min(time.seconds + Double(hostTime - self.hostTime) / 1e9 * rate, latest))
    }
}
