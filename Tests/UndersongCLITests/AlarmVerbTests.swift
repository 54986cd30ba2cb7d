import Testing
import UndersongBackground
import UndersongPlayback

@testable import UndersongCLI

@Suite struct `The verb alarm` {
    @Test(
        arguments: [
            ("mon-fri", [.mon, .tue, .wed, .thu, .fri], "mon-fri"),
            ("sat,sun", [.sat, .sun], "sat,sun"),
            ("FRI-Mon", [.mon, .fri, .sat, .sun], "mon,fri-sun"), ("wed", [.wed], "wed"),
            ("daily", Weekday.allCases, "daily"), ("mon,mon-tue", [.mon, .tue], "mon,tue"),
        ] as [(String, [Weekday], String)])
    func `The days of an alarm are read from words and ranges, and written so`(
        argument: String, days: [Weekday], text: String
    ) {
        #expect(AlarmDays(argument: argument)?.days == days)
        #expect(AlarmText.days(days) == text)
    }

    @Test(arguments: ["", "monday", "mon-", "mon-tue-wed", ",", "mon,,tue"])
    func `Other words are no days`(argument: String) {
        #expect(AlarmDays(argument: argument) == nil)
    }

    @Test func `A call has what the arguments say, and no fade-in of 0`() throws {
        let verb = try AlarmVerb.Add.parse([
            "7:05", "--days", "sat,sun", "--fade-in", "30", "--volume", "40", "/a.mp3", "/b.mp3",
        ])
        let call = try verb.call().settings
        let plain = try AlarmVerb.Add.parse(["22:00", "--fade-in", "0", "--queue", "Evening"])
            .call().settings

        #expect(call.hour == 7 && call.minute == 5 && call.days == [.sat, .sun])
        #expect(call.fadeIn == 30 && call.volume == 40 && call.queue == nil)
        #expect(call.files?.paths.map(\.description) == ["/a.mp3", "/b.mp3"])
        #expect(plain.days == nil && plain.fadeIn == nil && plain.files == nil)
        #expect(plain.queue == "Evening")
    }

    @Test(arguments: [
        ["7:5"], ["30m"], ["24:00"], ["07:30", "--days", "never"], ["07:30", "--fade-in", "3601"],
        ["07:30", "--volume", "101"], ["07:30", "--queue", "a", "/b.mp3"], [],
    ])
    func `A call with something wrong is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try AlarmVerb.Add.parse(arguments) }
    }

    @Test func `A list shows each alarm, and warns if they do not sound`() {
        var morning = AlarmSettings(hour: 7, minute: 30, days: [.mon, .tue, .wed])
        (morning.fadeIn, morning.queue, morning.volume) = (30, "Morning", 40)
        var evening = AlarmSettings(hour: 22, minute: 0)
        evening.files = Files(["/a.mp3", "/b.mp3"])
        let first = PlayAlarm(1, morning)
        var second = PlayAlarm(3, evening)
        second.on = false
        var status = AlarmStatus(
            [
                AlarmStatus.Entry(first, next: 1, local: "2026-11-30 07:30"),
                AlarmStatus.Entry(second, next: nil, local: nil),
            ], silentInBackground: false)
        let lines = """
            1: 07:30 mon-wed, next 2026-11-30 07:30, queue Morning, fade-in 30 s, volume 40
            3: 22:00 once, off, /a.mp3 and 1 more
            """

        #expect(AlarmText.list(status) == lines)
        status.silentInBackground = true
        #expect(
            AlarmText.list(status)
                == lines + "\nwarning: alarms do not sound in the background, since the mode audio "
                + "is not declared; 'undersong capability audio on' declares it")
        status.alarms.removeFirst()
        #expect(!AlarmText.list(status).contains("warning"))
        status.alarms = []
        #expect(AlarmText.list(status) == "no alarms")
    }
}
