import MediaPlayer
import Synchronization
import TestSupport
import Testing

@Suite struct `The Now Playing info` {
    private let time = SharedTime()
    private let center: MPNowPlayingInfoCenter

    init() {
        let time = time
        center = MPNowPlayingInfoCenter { time.now }
    }

    @Test func `The Now Playing info keeps the languages of an item`() throws {
        let option = MPNowPlayingInfoLanguageOption(
            type: .audible, languageTag: "en", characteristics: nil, displayName: "English",
            identifier: "en-1")
        let group = MPNowPlayingInfoLanguageOptionGroup(
            languageOptions: [option], defaultLanguageOption: option, allowEmptySelection: false)

        center.nowPlayingInfo = [MPNowPlayingInfoPropertyAvailableLanguageOptions: [group]]

        let groups =
            center.nowPlayingInfo?[MPNowPlayingInfoPropertyAvailableLanguageOptions]
            as? [MPNowPlayingInfoLanguageOptionGroup]
        let kept = try #require(groups?.first?.defaultLanguageOption)
        #expect(kept.languageTag == "en" && kept.displayName == "English")
        #expect(!kept.isAutomaticAudibleLanguageOption())
        let automatic = MPNowPlayingInfoLanguageOption(
            type: .audible, languageTag: "", characteristics: nil, displayName: "", identifier: "")
        #expect(automatic.isAutomaticAudibleLanguageOption())
        #expect(!automatic.isAutomaticLegibleLanguageOption())
    }

    @Test func `The Now Playing info has the kinds of item that Apple has`() {
        let song: MPMediaType = [.music]
        #expect(MPMediaType.anyAudio.contains(song) && !MPMediaType.anyVideo.contains(song))
        #expect(MPMediaType.any.isSuperset(of: [.homeVideo, .audioITunesU]))
        #expect(MPMediaType.anyAudio.union(.anyVideo).rawValue == 0xffff)
    }

    @Test(.rule("2.6")) func `The Now Playing info is one of the process, and empty at first`() {
        #expect(MPNowPlayingInfoCenter.default() === MPNowPlayingInfoCenter.default())
        #expect(center.nowPlayingInfo == nil)
        #expect(center.playbackState == .unknown)
        #expect(center.host.elapsedPlaybackTime == nil)
        #expect(center.host.playbackRate == 0)
    }

    @Test(.rule("2.6")) func `The Now Playing info is kept, changed in place, and cleared by nil`()
    {
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "FeelinGood"]
        center.nowPlayingInfo?[MPMediaItemPropertyArtist] = "Kevin MacLeod"
        let title = center.nowPlayingInfo?[MPMediaItemPropertyTitle] as? String
        let artist = center.nowPlayingInfo?[MPMediaItemPropertyArtist] as? String
        center.nowPlayingInfo = nil

        #expect(title == "FeelinGood")
        #expect(artist == "Kevin MacLeod")
        #expect(center.nowPlayingInfo == nil)
        #expect(center.host.elapsedPlaybackTime == nil)
    }

    @Test(.rule("2.6"))
    func `The Now Playing info lets the time advance from when it was set, at its rate`() {
        time.advance(by: 60)
        center.nowPlayingInfo = [
            MPNowPlayingInfoPropertyElapsedPlaybackTime: 10.0,
            MPNowPlayingInfoPropertyPlaybackRate: 2.0,
            MPMediaItemPropertyPlaybackDuration: 100.0,
        ]
        time.advance(by: 5)
        let later = center.host.elapsedPlaybackTime
        time.advance(by: 500)

        #expect(later == 20)
        #expect(center.host.elapsedPlaybackTime == 100)
        #expect(center.host.playbackRate == 2)
    }

    @Test(.rule("2.6"))
    func `The Now Playing info plays at rate 1 from 0 when nothing else is said`() {
        center.nowPlayingInfo = [MPMediaItemPropertyTitle: "IronBacon"]

        time.advance(by: 5)

        #expect(center.host.elapsedPlaybackTime == 5)
        #expect(center.host.playbackRate == 1)
    }

    @Test(.rule("2.6"), arguments: ["Int", "Float", "Double", "NSNumber", "CGFloat"])
    func `The Now Playing info accepts a number of any type`(type: String) {
        let values: [String: Any] = [
            "Int": 7, "Float": Float(7), "Double": 7.0, "NSNumber": NSNumber(value: 7),
            "CGFloat": CGFloat(7),
        ]
        center.nowPlayingInfo = [
            MPNowPlayingInfoPropertyElapsedPlaybackTime: values[type] as Any,
            MPNowPlayingInfoPropertyPlaybackRate: 0,
        ]

        #expect(center.host.elapsedPlaybackTime == 7)
    }

    @Test(.rule("2.6"))
    func `The Now Playing info stops while it is paused, and continues from there`() {
        center.nowPlayingInfo = [MPNowPlayingInfoPropertyElapsedPlaybackTime: 10]
        time.advance(by: 2)
        center.playbackState = .paused
        time.advance(by: 60)
        let paused = center.host.elapsedPlaybackTime
        center.playbackState = .playing
        time.advance(by: 3)

        #expect(paused == 12)
        #expect(center.host.elapsedPlaybackTime == 15)
    }

    @Test(
        .rule("2.6"),
        arguments: [
            (MPNowPlayingPlaybackState.unknown, 0 as UInt, 1.0), (.playing, 1, 1), (.paused, 2, 0),
            (.stopped, 3, 0), (.interrupted, 4, 0),
        ])
    func `The Now Playing info has states with Apple's raw values`(
        state: MPNowPlayingPlaybackState, rawValue: UInt, rate: Double
    ) {
        center.nowPlayingInfo = [:]
        center.playbackState = state

        #expect(center.playbackState.rawValue == rawValue)
        #expect(center.host.playbackRate == rate)
    }

    @Test func `The Now Playing info reports every change to its host`() {
        let count = Mutex(0)
        center.host.onChange { count.withLock { $0 += 1 } }

        center.nowPlayingInfo = [:]
        center.playbackState = .playing
        center.nowPlayingInfo = nil

        #expect(count.withLock { $0 } == 3)
    }

    @Test(.rule("2.6")) func `The Now Playing info has Apple's keys`() {
        #expect(MPMediaItemPropertyTitle == "title")
        #expect(MPMediaItemPropertyArtist == "artist")
        #expect(MPMediaItemPropertyAlbumTitle == "albumTitle")
        #expect(MPMediaItemPropertyPlaybackDuration == "playbackDuration")
        #expect(MPMediaItemPropertyArtwork == "artwork")
        #expect(
            MPNowPlayingInfoPropertyElapsedPlaybackTime
                == "MPNowPlayingInfoPropertyElapsedPlaybackTime")
        #expect(MPNowPlayingInfoMediaType.audio.rawValue == 1)
    }

    @Test func `The Now Playing info shows an item's picture`() throws {
        let bytes: [UInt8] = [
            0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
            0, 0, 2, 88, 0, 0, 1, 0,
        ]
        let image = try #require(UIImage(data: Data(bytes)))

        let artwork = MPMediaItemArtwork(boundsSize: image.size) { size in
            return image
        }

        #expect(artwork.bounds == CGRect(x: 0, y: 0, width: 600, height: 256))
        #expect(artwork.image(at: CGSize(width: 100, height: 100)) === image)
        #expect(MPMediaItemArtwork(image: image).bounds.size == image.size)
    }
}

/// A time that a test sets.
final class SharedTime: Sendable {
    private let seconds = Mutex(1_000.0)

    var now: Double { seconds.withLock { $0 } }

    func advance(by interval: Double) { seconds.withLock { $0 += interval } }
}
