import Testing

@testable import UndersongPlayback

@Suite struct `The volume in percent` {
    private static func settings(_ fill: (inout SettingsChange) -> Void) -> PlayerSettings {
        var (settings, change) = (PlayerSettings(), SettingsChange())
        fill(&change)
        change.apply(to: &settings)
        return settings
    }

    private static func percent(_ settings: PlayerSettings) -> SettingValue? {
        SettingTable.standard.volume.row.wireValue(in: settings)
    }

    @Test(arguments: [(0.0, 0.0), (1, 1e-6), (10, 0.001), (50, 0.125), (80, 0.512), (100, 1)])
    func `The volume in percent is cubic, as in mixers`(percent: Double, factor: Double) {
        let settings = Self.settings { $0.volume = percent }

        #expect(abs(Double(settings.volume) - factor) <= factor * 1e-6)
        #expect(Self.percent(settings) == .number(percent))
    }

    @Test(arguments: [0.0, 10, 50, 79.4, 100])
    func `The volume in percent is the factor if it is linear, whatever comes first`(
        percent: Double
    ) {
        let settings = Self.settings { ($0.volume, $0.linearVolume) = (percent, true) }

        #expect(settings.volume == Float(percent / 100))
        #expect(Self.percent(settings) == .number(percent))
    }

    @Test func `A volume has another percentage on the linear scale, and sounds the same`() {
        var settings = Self.settings { $0.volume = 50 }
        settings.hasLinearVolume = true

        #expect(settings.volume == 0.125 && Self.percent(settings) == .number(12.5))
    }

    @Test func `The volume in percent is changed by steps that lead back`() {
        var (settings, change) = (Self.settings { $0.volume = 80 }, SettingsChange())
        change.volumeBy = -5
        for _ in 1...10 { change.apply(to: &settings) }
        #expect(Self.percent(settings) == .number(30))
        change.volumeBy = 5
        for _ in 1...10 { change.apply(to: &settings) }
        #expect(Self.percent(settings) == .number(80))
        change.volumeBy = -90
        change.apply(to: &settings)
        #expect(settings.volume == 0)
    }

    @Test func `The volume is kept as the factor, so that another scale is not louder`() {
        let row = SettingTable.standard.volume.row
        let (quiet, linear) = (
            Self.settings { $0.volume = 50 },
            Self.settings { ($0.volume, $0.linearVolume) = (12.5, true) }
        )

        #expect(row.storedValue(in: quiet) == .number(0.125))
        #expect(row.storedValue(in: linear) == .number(0.125))
    }

    @Test(arguments: [0, 1e-9, 0.001, 0.0271, 0.125, 0.3, 0.7, 1, 2, 27, 1e6])
    func `The cube root that volumes need is exact to 14 digits`(number: Double) {
        let root = number.cubeRoot

        #expect(abs(root * root * root - number) <= number * 1e-14)
    }
}
