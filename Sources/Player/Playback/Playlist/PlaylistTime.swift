/// Times as written in playlists.
package enum PlaylistTime {
    /// Parses a time: `12.5` seconds with at most nine decimals, or an exact fraction such as
    /// `1/75`. Nil if it is neither, or negative.
    package static func time(_ text: some StringProtocol) -> CMTime? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let value = number(parts[0]), let scale = number(parts[1]),
                let scale = Int32(exactly: scale), scale > 0
            else { return nil }
            return CMTime(value: value, timescale: scale)
        }
        return decimalTime(text)
    }

    /// Parses a length in units of `1 / timescale` seconds; nil unless it is above 0, since
    /// playlists use other numbers for an unknown length.
    static func length(_ text: some StringProtocol, timescale: Int32 = 1) -> CMTime? {
        guard let time = decimalTime(text), time.value > 0 else { return nil }
        let (scale, isTooLarge) = time.timescale.multipliedReportingOverflow(by: timescale)
        guard !isTooLarge else { return nil }
        let length = CMTime(value: time.value, timescale: scale)
        // A year is longer than anything; what cannot be calculated with is not a length.
        return length.seconds <= 366 * 86400 ? length : nil
    }

    private static func decimalTime(_ text: some StringProtocol) -> CMTime? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, let whole = number(parts[0]) else { return nil }
        let decimals = parts.count == 2 ? parts[1] : parts[0].suffix(0)
        guard parts.count == 1 || !decimals.isEmpty else { return nil }
        let digits = decimals.prefix(9)
        let isNumber = decimals.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        guard isNumber, let fraction = digits.isEmpty ? 0 : number(digits) else { return nil }
        let scale = digits.reduce(1) { scale, _ in scale * 10 }
        let (units, isTooLarge) = whole.multipliedReportingOverflow(by: Int64(scale))
        let (value, isTooLargeNow) = units.addingReportingOverflow(fraction)
        guard !isTooLarge, !isTooLargeNow else { return nil }
        return CMTime(value: value, timescale: Int32(scale))
    }

    /// Accepts digits only, without a sign.
    private static func number(_ text: some StringProtocol) -> Int64? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(text)
    }

    /// `time` in seconds, truncated to at most nine decimals. Precondition: it is a number and not
    /// negative.
    static func decimal(_ time: CMTime) -> String {
        let scale = Int64(time.timescale)
        var (whole, rest) = time.value.quotientAndRemainder(dividingBy: scale)
        var text = String(whole)
        var count = 0
        while rest > 0, count < 9 {
            (whole, rest) = (rest * 10).quotientAndRemainder(dividingBy: scale)
            text += (count == 0 ? "." : "") + String(whole)
            count += 1
        }
        return text
    }

    /// `time` as an exact fraction, such as `1/75`.
    static func exact(_ time: CMTime) -> String { "\(time.value)/\(time.timescale)" }

    /// True if a playlist can express `time`: a number above 0.
    static func isReported(_ time: CMTime) -> Bool { time.isRational && time.value > 0 }
}
