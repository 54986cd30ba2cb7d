import AVFoundation
import TestSupport
import Testing

@Suite struct `An asset` {
    @Test(.rule("T48")) func `An asset has its exact duration once that is loaded`() async throws {
        let file = try TaggedFile.withoutLength()
        let asset = AVURLAsset(url: file.url)
        #expect(asset.status(of: .duration).name == "not yet loaded")
        let estimate = asset.duration

        let duration = try await asset.load(.duration)

        #expect(duration == CMTime(value: 1_274_112, timescale: 44100))
        #expect(estimate != duration)
        #expect(asset.duration == duration)
        #expect(asset.status(of: .duration).name == "loaded")
    }

    @Test(.rule("T48"))
    func `An asset reads its duration from the header without reading the file`() async throws {
        let asset = AVURLAsset(url: Sound.url(0))

        let duration = try await asset.load(.duration)

        #expect(duration == CMTime(value: 1_270_820, timescale: 44100))
    }

    @Test func `An asset loads two and three properties at once`() async throws {
        let asset = AVURLAsset(url: Sound.url(0))

        let (duration, metadata) = try await asset.load(.duration, .metadata)
        let (isPlayable, common, isProtected) = try await asset.load(
            .isPlayable, .commonMetadata, .hasProtectedContent)

        #expect(duration.seconds > 28)
        #expect(metadata.count == 8)
        #expect(isPlayable)
        #expect(common.count == 6)
        #expect(!isProtected)
    }

    @Test func `An asset is an AVURLAsset with either initializer`() throws {
        let asset = AVAsset(url: Sound.url(0))

        let urlAsset = try #require(asset as? AVURLAsset)

        #expect(urlAsset.url == Sound.url(0))
    }

    @Test func `An asset throws the operation and the reason if the file is missing`() async throws
    {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/nothing.mp3"))

        let error = await #expect(throws: URLError.self) { try await asset.load(.duration) }

        #expect(error?.code == .fileDoesNotExist)
        #expect(
            error?.localizedDescription
                == "cannot open /nowhere/nothing.mp3: No such file or directory")
        await #expect(throws: URLError.self) { try await asset.load(.isPlayable) }
        await #expect(throws: URLError.self) { try await asset.load(.metadata) }
        #expect(asset.status(of: .duration).name == "failed -1100")
        #expect(asset.metadata.isEmpty)
        #expect(asset.tracks.isEmpty)
    }

    @Test func `An asset is not playable if the file contains no audio`() async throws {
        let asset = AVURLAsset(url: URL(fileURLWithPath: #filePath))

        let isPlayable = try await asset.load(.isPlayable)

        #expect(!isPlayable)
        #expect(!asset.isPlayable)
        await #expect(throws: AVError.self) { try await asset.load(.duration) }
    }

    @Test func `An asset has one audio track`() async throws {
        let asset = AVURLAsset(url: Sound.url(0))

        let tracks = try await asset.loadTracks(withMediaType: .audio)

        #expect(tracks.count == 1)
        #expect(tracks.first?.mediaType == .audio)
        #expect(tracks.first?.naturalTimeScale == 44100)
        #expect(tracks.first?.asset === asset)
        let duration = CMTime(value: 1_270_820, timescale: 44100)
        #expect(tracks.first?.timeRange == CMTimeRange(start: .zero, duration: duration))
        #expect(try await asset.loadTracks(withMediaType: .video).isEmpty)
        #expect(asset.tracks(withMediaType: .audio).count == 1)
    }

    @Test func `An asset's track loads its properties`() async throws {
        let file = try TaggedFile.withoutLength()
        let asset = AVURLAsset(url: file.url)
        let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
        #expect(track.status(of: .isEnabled).name == "loaded")
        #expect(track.status(of: .timeRange).name == "not yet loaded")

        let range = try await track.load(.timeRange)
        let (scale, isPlayable) = try await track.load(.naturalTimeScale, .isPlayable)

        #expect(range.start == .zero)
        #expect(range.duration == CMTime(value: 1_274_112, timescale: 44100))
        #expect(scale == 44100 && isPlayable)
        #expect(track.status(of: .timeRange).name == "loaded")
    }

    @Test func `An asset also loads values by key, and calls its handler once`() async throws {
        let file = try TaggedFile.withoutLength()
        let asset = AVURLAsset(url: file.url)
        let log = Log()
        var error: NSError?
        #expect(asset.statusOfValue(forKey: "duration", error: &error) == .unknown)

        asset.loadValuesAsynchronously(forKeys: ["playable", "duration", "metadata"]) {
            log.note("loaded")
        }
        await log.wait(for: "loaded")

        #expect(asset.statusOfValue(forKey: "duration", error: &error) == .loaded)
        #expect(asset.statusOfValue(forKey: "playable", error: nil) == .loaded)
        #expect(asset.statusOfValue(forKey: "metadata", error: nil) == .loaded)
        #expect(error == nil)
        #expect(asset.duration == CMTime(value: 1_274_112, timescale: 44100))
        #expect(log.all == ["loaded"])
    }

    @Test func `An asset reports by key why loading failed`() async throws {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/nothing.mp3"))
        let log = Log()
        asset.loadValuesAsynchronously(forKeys: ["tracks"]) { log.note("done") }
        await log.wait(for: "done")
        var error: NSError?

        let status = asset.statusOfValue(forKey: "tracks", error: &error)

        #expect(status == .failed)
        #expect(error?.domain == NSURLErrorDomain)
        #expect(error?.code == NSURLErrorFileDoesNotExist)
    }
}

extension AVAsyncProperty.Status {
    fileprivate var name: String {
        switch self {
        case .notYetLoaded: "not yet loaded"
        case .loading: "loading"
        case .loaded: "loaded"
        case .failed(let error): "failed \(error.code)"
        }
    }
}
