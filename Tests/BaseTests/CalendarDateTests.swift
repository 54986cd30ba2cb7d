import Testing
import UndersongBase

@Suite struct `A calendar date` {
    @Test
    func `A calendar date is the same after its seconds since 1970, in all years of the calendar`()
    {
        let wrong = stride(from: -719_162, to: 2_932_896, by: 29).filter { day in
            let seconds = Double(day) * 86400 + 86399.999
            let date = CalendarDate(secondsSince1970: seconds)
            let midnight = CalendarDate(year: date.year, month: date.month, day: date.day)
            return date.secondsSince1970 != seconds || (date.hour, date.minute) != (23, 59)
                || date.days != day || midnight?.secondsSince1970 != Double(day) * 86400
        }

        #expect(wrong == [])
    }

    @Test(arguments: [
        (2026, 2, 29), (2100, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0),
        (2026, 1, 32), (0, 1, 1), (10_000, 1, 1),
    ])
    func `A calendar date does not exist for a day that the calendar does not have`(
        year: Int, month: Int, day: Int
    ) { #expect(CalendarDate(year: year, month: month, day: day) == nil) }

    @Test(arguments: [
        (0.0, "1970-01-01 00:00:00"), (951_782_340, "2000-02-28 23:59:00"),
        (951_782_400, "2000-02-29 00:00:00"), (1_709_164_805.9, "2024-02-29 00:00:05"),
        (4_107_542_400, "2100-03-01 00:00:00"), (-1, "1969-12-31 23:59:59"),
    ])
    func `A calendar date is written with its time`(seconds: Double, text: String) {
        #expect(CalendarDate(secondsSince1970: seconds).text == text)
    }

    @Test(arguments: [
        (1_419_221_113.125, "2014-12-22T04:05:13.125Z"),
        (1_795_560_994.9996, "2026-11-24T22:56:35.000Z"),
        (-.infinity, "0001-01-01T00:00:00.000Z"), (.nan, "0001-01-01T00:00:00.000Z"),
        (.infinity, "9999-12-31T23:59:59.999Z"),
    ])
    func `A calendar date is written in ISO 8601, rounded to milliseconds`(
        seconds: Double, text: String
    ) {
        #expect(CalendarDate(secondsSince1970: seconds).iso8601 == text)
    }
}

@Suite struct `An ISO 8601 date` {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0.0), ("2014-12-22T04:05:13Z", 1_419_221_113),
        ("2024-02-29T23:59:59.5Z", 1_709_251_199.5), ("1969-12-31T23:59:59Z", -1),
        ("2026-11-24T23:56:34+01:00", 1_795_560_994), ("2026-11-24T21:56:34-01:00", 1_795_560_994),
        ("2026-11-24T22:56:34", 1_795_560_994), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ])
    func `A date of ISO 8601 is parsed`(text: String, seconds: Double) {
        #expect(CalendarDate(iso8601: text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "", "2026", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00X",
        "2026-01-01 00:00:00Z", "2O26-01-01T00:00:00Z", "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00GMT", "2026-01-01", "2026-01-01T1:00:00Z",
        "2026-01-01T01:00Z", "2026-01-01T00:00:00Z!",
    ])
    func `A date of ISO 8601 has no other form`(text: String) {
        #expect(CalendarDate(iso8601: text) == nil)
    }

    @Test func `A date of ISO 8601 is parsed as it is written, on every day of four centuries`() {
        let wrong = (-30_000..<120_000).filter { day in
            let seconds = Double(day) * 86400 + 86399.999
            let parsed = CalendarDate(
                iso8601: CalendarDate(secondsSince1970: seconds).iso8601)
            return parsed.map { abs($0.secondsSince1970 - seconds) < 1e-6 } != true
        }

        #expect(wrong == [])
    }
}

@Suite struct `An HTTP date` {
    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil),
            ("Sun, 06 Nov 1994 24:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 94 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 EST", nil), ("Wed, 31 Dec 1969 23:59:59 GMT", nil),
        ] as [(String, Double?)])
    func `A date of HTTP has one form`(text: String, seconds: Double?) {
        #expect(CalendarDate(http: text)?.secondsSince1970 == seconds)
    }
}

@Suite struct `A feed's date` {
    @Test(
        arguments: [
            ("Tue, 24 Nov 2026 22:56:34 GMT", 1_795_560_994),
            ("24 Nov 26 22:56 EST", 1_795_578_960),
            ("Tuesday, 24 November 2026 22:56:34 +0100", 1_795_557_394),
            ("Tue,24 Nov 2026 22:56:34", 1_795_560_994), ("2026-11-24T22:56:34Z", 1_795_560_994),
            ("2026-11-24 22:56:34+01:00", 1_795_557_394), ("2026-11-24", 1_795_478_400),
            ("Thu, 29 Feb 2024 00:00:00 -0030", 1_709_166_600), ("soon", nil),
            ("Fri, 30 Feb 2024 00:00:00 GMT", nil), ("2026-13-01", nil), ("Tue", nil),
            ("2000-02-29", 951_782_400), ("2100-02-29", nil), ("2100-03-01", 4_107_542_400),
            ("24 Nov 2026", 1_795_478_400), ("2026-11-24 22:56:34 CET", 1_795_557_394),
            ("2026-11-24T22:56+01", 1_795_557_360), ("24 Nov 2026 22.56", nil),
            ("24 Nov 2026 22:56:34.5 nowhere", 1_795_560_994.5),
        ] as [(String, Double?)]) func `A date of a feed is parsed with its usual faults`(
            text: String, seconds: Double?
        )
    {
        #expect(CalendarDate(feed: text)?.secondsSince1970 == seconds)
    }
}
