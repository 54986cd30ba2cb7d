import Glibc

/// The difference of local time from UTC, which changes during the year.
package struct LocalZone: Sendable {
    /// UTC.
    package static let utc = Self { _ in 0 }
    /// The zone of the system, which may change.
    package static let system = Self { seconds in
        tzset()
        var time = time_t(max(-1e11, min(seconds, 1e12)))
        var local = unsafe tm()
        unsafe localtime_r(&time, &local)
        return unsafe local.tm_gmtoff
    }

    /// Seconds east of Greenwich at a time in seconds since 1970.
    package let offset: @Sendable (Double) -> Int

    package init(offset: @escaping @Sendable (Double) -> Int) { self.offset = offset }

    /// The local time at a time in seconds since 1970.
    package func date(at seconds: Double) -> CalendarDate {
        CalendarDate(secondsSince1970: seconds + Double(offset(seconds)))
    }

    /// The time in seconds since 1970 of a local time. One that clocks skip is that after the gap,
    /// and one that they repeat is the first.
    package func seconds(of date: CalendarDate) -> Double {
        let local = date.secondsSince1970
        let day = 86400.0
        let offsets = [offset(local - day), offset(local + day)]
        let times = offsets.map { local - Double($0) }
        return times.filter { $0 + Double(offset($0)) == local }.min() ?? times[0]
    }
}
