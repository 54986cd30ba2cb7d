import Testing
import UndersongBackground
import UndersongCommandOptions
import UndersongControl

import struct UndersongPlayback.PlayerSettings

@testable import UndersongCLI
@testable import UndersongPlayback

/// Answers as text.
@Suite struct `Text output` {
    @Test(arguments: [
        (0.0, "0:00"), (41.99, "0:41"), (245, "4:05"), (3599.5, "59:59"), (3600, "1:00:00"),
        (36061, "10:01:01"), (-1, "0:00"), (.nan, "0:00"),
    ])
    func `A time has minutes, and hours if there are any`(seconds: Double, text: String) {
        #expect(ClockText.text(seconds) == text)
    }

    @Test(arguments: [
        (0, "0.0 s"), (340_000_000, "0.3 s"), (12_900_000_000, "12 s"),
        (185_000_000_000, "3 min 5 s"), (7_440_000_000_000, "2 h 4 min"), (-5, "0.0 s"),
    ])
    func `A duration is more precise the shorter it is`(nanoseconds: Int64, text: String) {
        #expect(ClockText.span(nanoseconds: nanoseconds) == text)
    }

    @Test func `The length of a queue counts what is played of each item`() {
        let one = WireTime(value: 60, timescale: 1)
        let songs = [
            ListedItem(id: 1, title: "a", path: "/a", duration: one),
            ListedItem(
                id: 2, title: "b", path: "/b", duration: one,
                start: WireTime(value: 15, timescale: 1)),
        ]
        let unknown = ListedItem(id: 3, title: "c", path: "/c")

        #expect(text(songs) == "2 items, 1:45")
        #expect(text(songs + [unknown]) == "3 items, 1:45, and 1 of unknown length")
        #expect(text([unknown]) == nil)
        #expect(text([]) == nil)

        func text(_ items: [ListedItem]) -> String? {
            var length = QueueLength()
            length.add(items)
            return length.text
        }
    }

    @Test func `A status is one line, or a few`() {
        #expect(StatusText.line(.paused) == "⏸ 2/3  0:41 / 4:05  Second Song (paused)  1.25×")
        #expect(
            StatusText.screen(.paused) == """
                ⏸ 2/3  0:41 / 4:05  Second Song (paused)  1.25×
                  /music/two.mp3
                  volume 80, rate 1.25, repeat all, shuffle off
                  host active (terminal)
                """)
    }

    @Test func `A status without an item says so`() {
        var status = PlayerStatus.paused
        (status.item, status.count, status.place) = (nil, 0, 0)
        (status.status, status.reason) = (.waiting, .known(.noItemToPlay))
        status.suspended = true

        #expect(
            StatusText.screen(status) == """
                … -/0 (the queue is empty)  1.25×
                  volume 80, rate 1.25, repeat all, shuffle off
                  host active (terminal), suspended
                """)
    }

    @Test func `Settings are shown if they are not at their defaults`() {
        var settings = Settings.usual
        settings.muted = true
        settings.single = true
        settings.replayGain = .album
        settings.crossfade = 2.5
        settings.resumeItems = true
        settings.skipBack = 15
        settings.outputDevice = "usb"
        settings.onUnplug = .wait
        settings.mixing = .mix
        settings.inhibit = .sleep

        #expect(
            StatusText.settings(settings)
                == "volume 80 (muted), rate 1.25, repeat all, shuffle off, single, "
                + "replay gain album, crossfade 2.5 s, resume items on, skip back 15 s, "
                + "output usb, on unplug wait, mixing mix, inhibit sleep")
    }

    @Test(arguments: [
        (SleepReport(), "stop-after off"),
        (SleepReport(after: .item), "will stop after this item"),
        (
            SleepReport(remaining: 60, fade: 0, fading: false),
            "stop-after off; sleep timer: 1:00 left"
        ),
        (
            SleepReport(remaining: 60, fade: 0, after: .item),
            "sleep timer: 1:00 left; will stop after this item"
        ),
    ])
    func `The verb stop-after answers what it was asked`(state: SleepReport, text: String) {
        #expect(SleepText.stop(state) == text)
    }

    @Test(arguments: [
        (SleepReport(), "no sleep timer"),
        (SleepReport(after: .item), "will stop after this item"),
        (
            SleepReport(remaining: 1787.2, fade: 10, fading: false),
            "sleep timer: 29:48 left, with a 10 s fade-out"
        ), (SleepReport(remaining: 60, fade: 0, fading: false), "sleep timer: 1:00 left"),
        (
            SleepReport(remaining: 7, fade: 10, fading: true, after: .queue),
            "sleep timer: 0:07 left, fading out; will stop after the queue"
        ),
    ])
    func `The verb sleep shows when playback stops`(state: SleepReport, text: String) {
        var status = PlayerStatus.paused
        status.sleep = state
        var why = Why.backgrounded
        why.status = status

        #expect(SleepText.line(state) == text)
        #expect(StatusText.screen(status).contains("shuffle off\n  \(text)\n  host active"))
        #expect(WhyText(Reasons(why)).screen.contains("\nsleep       \(text)\n"))
    }

    @Test func `A queue has places, lengths if they are known, and a mark`() {
        let items = [("One", 245), ("Two", nil), ("Three\u{7}", 3661)].enumerated().map {
            ListedItem(
                id: $0 + 7, title: $1.0, path: "/\($0)",
                duration: $1.1.map { WireTime(value: Int64($0), timescale: 1) })
        }

        #expect(
            QueueText.list(QueueList(items: items, current: 8)) == """
                  1     4:05  One
                > 2           Two
                  3  1:01:01  Three
                """)
        #expect(QueueText.list(QueueList(items: [], current: nil)) == "the queue is empty")
    }

    @Test func `A queue shows what was heard to its end, and where others were left`() {
        let hour = WireTime(value: 3661, timescale: 1)
        var items = [
            ListedItem(id: 7, title: "One", path: "/1", duration: hour, finished: true),
            ListedItem(
                id: 8, title: "Two", path: "/2", duration: hour,
                resume: WireTime(value: 2_100_900, timescale: 1000)),
            ListedItem(id: 9, title: "Three", path: "/3", resume: hour),
            ListedItem(id: 10, title: "Four", path: "/4"),
        ]

        #expect(
            QueueText.list(QueueList(items: items, current: 8)) == """
                  1 ✓          1:01:01  One
                > 2    35:00 / 1:01:01  Two
                  3            1:01:01  Three
                  4                     Four
                """)
        items[0].finished = nil
        #expect(
            QueueText.list(QueueList(items: items, current: 8)).hasPrefix(
                "  1          1:01:01  One\n"))
    }

    @Test func `An item of which a part is played has that part's length`() {
        let (start, end) = (WireTime(value: 30, timescale: 1), WireTime(value: 90, timescale: 1))
        let parts: [(WireTime?, WireTime?)] = [
            (start, end), (start, nil), (nil, end), (nil, WireTime(value: 999, timescale: 1)),
        ]
        let items = parts.map {
            ListedItem(
                id: 1, title: "x", path: "/x", duration: WireTime(value: 200, timescale: 1),
                start: $0.0, end: $0.1)
        }

        #expect(
            QueueText.list(QueueList(items: items, current: nil)) == """
                  1  1:00  x
                  2  2:50  x
                  3  1:30  x
                  4  3:20  x
                """)
    }

    @Test func `A part of a queue has its places, and the number of other items`() {
        let items = [ListedItem(id: 7, title: "One", path: "/1")]

        #expect(
            QueueText.list(QueueList(items: items, current: 7, offset: 8, count: 12)) == """
                  … 8 before
                >  9  One
                  … 3 more
                """)
    }

    @Test func `The history names artists, and the length of what was left early`() {
        var left = PlayedEntry(path: "/2", title: "Two", began: 1_700_000_000, seconds: 41)
        (left.artist, left.duration, left.finished) = ("The Undersongs", 245.4, false)
        var finished = left
        (finished.seconds, finished.finished) = (245.4, true)
        var unknown = left
        (unknown.artist, unknown.finished) = (nil, nil)

        let lines = HistoryText.lines(GetHistory.Reply(entries: [left, finished, unknown]))
            .split(separator: "\n")

        #expect(
            lines.map { $0.dropFirst(16) } == [
                "  0:41  The Undersongs - Two (of 4:05)", "  4:05  The Undersongs - Two",
                "  0:41  Two",
            ])
    }

    @Test func `The history is one line per item, with time and length`() {
        let entries = [
            PlayedEntry(path: "/2", title: "Two", began: 1_700_000_000, seconds: 245.4),
            PlayedEntry(path: "/1", title: "One", began: 1_600_000_000, seconds: 3661),
        ]

        let lines = HistoryText.lines(GetHistory.Reply(entries: entries)).split(separator: "\n")

        #expect(lines.map { $0.dropFirst(16) } == ["     4:05  Two", "  1:01:01  One"])
        #expect(lines[0].hasPrefix("2023-11-1") && lines[1].hasPrefix("2020-09-1"))
        #expect(HistoryText.lines(GetHistory.Reply(entries: [])) == "nothing has been played yet")
    }

    @Test func `The verb why without sound is one screen`() {
        #expect(
            WhyText(Reasons(.backgrounded)).screen == """
                player      ⏸ 2/3  0:41 / 4:05  Second Song (silent in the background)  1.25×
                wanted      sound
                blocked     silent in the background, for 12 s
                            interrupted, for 1.5 s
                volume      80
                rate        1.25
                host        background, for 12 s (terminal)
                clients     undersong play (process 4711): background (terminal)
                            undersong events (process 4712): background (terminal)
                login       locked
                capability  audio is not declared: there is no manifest
                category    playback
                output      pulse
                item        /music/two.mp3
                tasks       fibonacci, 17 s left
                """)
    }

    @Test(arguments: [
        (SilenceReason.userPaused, "silence, by the user"),
        (.oldDeviceUnavailable, "silence (paused, the device was unplugged)"),
        (.interruptionEnded, "silence (paused after an interruption)"),
    ])
    func `The verb why blames the user only for what the user wanted`(
        reason: SilenceReason, wanted: String
    ) {
        var why = Why.backgrounded
        (why.status.wantsPlayback, why.suppressions) = (false, [])
        why.status.reason = .known(reason)

        #expect(
            WhyText(Reasons(why)).screen.contains(
                "\nwanted      \(wanted)\nblocked     by nothing\n"))
    }

    @Test func `The verb why without a sound server says what is waited for`() {
        var why = Why.backgrounded
        (why.status.status, why.suppressions) = (.waiting, [])
        why.status.reason = .known(.noOutput)
        var paused = why
        (paused.status.status, paused.status.reason) = (.paused, .known(.userPaused))
        let outputs = Outputs(
            server: nil, lostReason: "Connection refused", current: nil, chosen: nil, devices: [])
        paused.sound = Why.Sound(outputs: outputs, lostSince: nil, interruptions: [])

        for why in [why, paused] {
            #expect(
                WhyText(Reasons(why)).screen.contains(
                    "\nblocked     waiting for the sound server\n"))
        }
    }

    @Test func `The verb why shows the network's trouble while a server is awaited`() {
        var why = Why.backgrounded
        (why.suppressions, why.status.status) = ([], .waiting)
        why.status.reason = .known(.evaluatingBufferingRate)
        var network = NetworkItemState(host: "a.org", state: .waiting, received: 0, live: false)
        network.trouble = "waiting for a.org: The connection was lost, retrying in 5 s"
        why.status.network = network

        #expect(
            WhyText(Reasons(why)).screen.contains(
                "\nblocked     waiting for a.org: The connection was lost, retrying in 5 s\n"))
    }

    @Test func `The verb why names what it waits for while a pipe is opened`() {
        var why = Why.backgrounded
        (why.status.status, why.status.reason) = (.waiting, .known(.evaluatingBufferingRate))

        #expect(
            WhyText(Reasons(why), isPipe: true).screen.contains(
                "\nitem        /music/two.mp3, a pipe: waiting for what writes to it\n"))
        #expect(WhyText(Reasons(why)).screen.contains("\nitem        /music/two.mp3\n"))
    }

    @Test(arguments: [
        ("Song", "The Testers", "The Testers - Song"), ("Song", nil, "Song"), ("Song", "", "Song"),
        ("The Testers - Song", "The Testers", "The Testers - Song"),
        ("The Testers", "The Testers", "The Testers - The Testers"),
    ])
    func `A name has the artist once`(title: String, artist: String?, name: String) {
        #expect(ItemName.text(title, artist: artist) == name)
    }

    @Test func `The verb why with sound shows that nothing forbids it`() {
        var why = Why.backgrounded
        (why.suppressions, why.clients, why.tasks) = ([], [], [])
        (why.loginSession, why.backgroundTimeRemaining) = (nil, nil)
        (why.hostOverride, why.audioCapability) = (.active, true)
        why.capabilitySource = "/home/a/.config/undersong/Info.plist"
        (why.status.status, why.status.reason) = (.playing, nil)
        why.stateTrouble = "cannot keep the queue in /a: Read-only file system"
        why.libraryTrouble = Why.Trouble(
            reason: "cannot keep the library in /a: No space left on device",
            remedy: "make room on the disk")

        #expect(
            WhyText(Reasons(why)).screen == """
                player      ▶ 2/3  0:41 / 4:05  Second Song  1.25×
                wanted      sound
                blocked     by nothing
                volume      80
                rate        1.25
                host        background, for 12 s (terminal)
                clients     none
                override    active, by 'undersong host'
                capability  audio is declared in /home/a/.config/undersong/Info.plist
                category    playback
                output      pulse
                item        /music/two.mp3
                tasks       none
                state       cannot keep the queue in /a: Read-only file system
                library     cannot keep the library in /a: No space left on device
                            make room on the disk
                """)
    }

    @Test func `The verb why without audible sound names the volumes of player and device`() {
        var why = Why.backgrounded
        why.suppressions = []
        (why.status.status, why.status.reason) = (.playing, nil)
        (why.status.settings.muted, why.status.settings.rate) = (true, 1)
        let device = Outputs.Device(
            name: "null", description: "Null Output", port: "Virtual", isAvailable: true,
            isSuspended: false, volume: 0, isMuted: true, isDefault: true, isCurrent: true)
        why.sound = Why.Sound(
            outputs: Outputs(
                server: "pulseaudio 16.1", lostReason: nil, current: device, chosen: nil,
                devices: [device]), lostSince: nil, interruptions: [])
        why.silencedBy = [.muted, .deviceMuted]

        let lines = WhyText(Reasons(why)).screen.split(separator: "\n")

        #expect(
            lines.prefix(3) == [
                "player      ▶ 2/3  0:41 / 4:05  Second Song  muted",
                "not heard   the player is muted",
                "            the device is muted (unmute it with: pactl set-sink-mute null 0)",
            ])
        #expect(lines.contains("volume      muted (unmute with: undersong volume unmute)"))
        #expect(lines.contains("route       Null Output (Virtual), muted"))
        #expect(!lines.contains { $0.hasPrefix("rate") })
    }

    @Test func `The verb why reports sound that is digital silence`() {
        var why = Why.backgrounded
        (why.status.status, why.status.reason) = (.playing, nil)
        why.digitalSilenceSince = why.now - 660_000_000_000

        let playing = WhyText(Reasons(why)).screen.split(separator: "\n")
        why.status.status = .paused
        let paused = WhyText(Reasons(why)).screen

        let line = "not heard   the sound itself is digital silence, for 11 min"
        #expect(playing.contains { $0.hasPrefix(line) }, "\(playing)")
        #expect(!paused.contains("digital silence"))
    }

    @Test func `The verb why while nothing plays explains no silence, but shows the volume`() {
        var why = Why.backgrounded
        why.status.settings.volume = 0
        why.silencedBy = [.volumeZero]

        let lines = WhyText(Reasons(why)).screen.split(separator: "\n")

        #expect(!lines.contains { $0.hasPrefix("not heard") })
        #expect(lines.contains("volume      0 (raise it with: undersong volume 50)"))
    }

    @Test func `A status has marks for an unusual volume and rate`() {
        var status = PlayerStatus.paused
        status.settings.muted = true
        status.settings.volume = 0
        status.settings.rate = 1.1 / 1.1

        #expect(
            StatusText.line(status) == "⏸ 2/3  0:41 / 4:05  Second Song (paused)  muted  vol 0")
    }

    @Test func `A status has a mark for a silent device`() {
        var status = PlayerStatus.paused
        status.deviceSilent = true

        #expect(
            StatusText.line(status)
                == "⏸ 2/3  0:41 / 4:05  Second Song (paused)  1.25×  device muted")
    }

    @Test func `A muted service has advice, and so has a sink`() {
        var muted = PlayerStatus.paused
        muted.settings.muted = true
        var zero = PlayerStatus.paused
        zero.settings.volume = 0
        let advice = [muted, zero, .paused].map { Doctor.finding("it", $0, session: "work").advice }
        let sink = { SoundServerCheck.loudness(mute: $0, volume: $1)?.text }

        #expect(
            advice == [
                "unmute it: undersong volume unmute --session work",
                "raise its volume: undersong volume 50 --session work", nil,
            ])
        #expect(sink("Mute: yes\n", "Volume: front-left: 65536 / 100% / 0.00 dB") == "it is muted")
        #expect(
            sink(
                "Mute: no\n", "Volume: front-left: 0 /   0% / -inf dB,   front-right: 0 /   0% / x")
                == "its volume is 0")
        #expect(sink("Mute: no\n", "Volume: front-left: 0 / 0% / x, right: 9 / 1% / x") == nil)
        #expect(sink("", "") == nil)
    }
}

extension Settings {
    static let usual = {
        var settings = Settings(PlayerSettings())
        (settings.volume, settings.muted, settings.rate) = (80, false, 1.25)
        (settings.repeat, settings.shuffle, settings.single) = (.all, false, false)
        (settings.consume, settings.replayGain, settings.crossfade) = (false, .off, 0)
        return settings
    }()
}

extension PlayerStatus {
    static let paused = PlayerStatus(
        status: .paused, reason: .known(.userPaused), wantsPlayback: false,
        item: ListedItem(
            id: 2, title: "Second Song", path: "/music/two.mp3",
            duration: WireTime(value: 245, timescale: 1)),
        place: 1, count: 3, position: WireTime(value: 4_125, timescale: 100), settings: .usual,
        host: .active, hostSource: "terminal")
}

extension Why {
    static let backgrounded: Why = {
        var status = PlayerStatus.paused
        (status.wantsPlayback, status.host) = (true, .background)
        status.reason = .known(.appBackgrounded)
        var why = Why(
            status: status,
            suppressions: [
                Suppression(reason: .known(.appBackgrounded), since: 88_000_000_000),
                Suppression(reason: .known(.interrupted), since: 98_500_000_000),
            ],
            now: 100_000_000_000, hostSince: 88_000_000_000,
            clients: [
                Client(
                    name: "undersong play", process: 4711, state: .background, source: "terminal"),
                Client(
                    name: "undersong events", process: 4712, state: .background,
                    source: "terminal"),
            ],
            category: .playback, audioCapability: false, capabilitySource: "none",
            output: "pulse", tasks: ["fibonacci"])
        (why.loginSession, why.backgroundTimeRemaining) = ("locked", 17.6)
        return why
    }()
}

extension RefreshStatus {
    /// The status of a service to which nothing has happened, in 1970.
    static var untouched: RefreshStatus {
        RefreshStatus(
            RefreshScheduler(seed: 1), at: ScheduleTime(boot: 0, wall: 0), limit: 0,
            fallbacks: [])
    }
}
