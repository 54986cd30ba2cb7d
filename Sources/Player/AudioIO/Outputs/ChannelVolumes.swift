import CUndersongPulse

/// The volumes of a stream's channels as one factor for its samples; a mixer shows the cube root.
extension pa_cvolume {
    /// The average factor of the channels.
    var averageFactor: Float {
        var volumes = self
        return unsafe Float(pa_sw_volume_to_linear(pa_cvolume_avg(&volumes)))
    }

    /// The same proportions between channels, but with `factor` as the average.
    func scaled(toAverage factor: Float) -> pa_cvolume {
        var volumes = self
        let wanted = pa_sw_volume_from_linear(Double(max(0, factor)))
        let average = unsafe pa_cvolume_avg(&volumes)
        guard average > 0 else {
            unsafe pa_cvolume_set(&volumes, UInt32(max(1, channels)), wanted)
            return volumes
        }
        let loudest = unsafe UInt64(pa_cvolume_max(&volumes)) * UInt64(wanted) / UInt64(average)
        let most = UInt64(pa_volume_t.max / 2)
        unsafe pa_cvolume_scale(&volumes, pa_volume_t(min(loudest, most)))
        return volumes
    }
}
