import Glibc
import TestSupport
import Testing
import UndersongBase
import UndersongPlayback
import UndersongTransferClient

@testable import UndersongAudioIO

/// A live stream of 128 kbit/s, whose bytes the test lets arrive and reads.
@Suite final class `A supply of bytes` {
    private static let rate = 16_000

    private let clock = ManualClock()
    private let station = Station()
    private var silence = OutputSilence.begun

    /// The supply of a stream of which `count` bytes are there.
    private func supply(bitrate: Int? = 128_000, _ count: Int) throws -> (ByteSupply, MediaFile) {
        station.bitrate = bitrate
        station.receive(count, at: clock.now)
        let file = try MediaFile(
            .network(url: "http://example.org/live"), NetworkAccess(station))
        let description = MediaDescription(
            format: StreamFormat(sampleRate: 44100, channelCount: 2),
            encoding: "MPEG 1 Layer III", duration: .invalid, isDurationExact: false)
        let supply = ByteSupply(
            file, description, speed: 1, clock: clock, silence: { [unowned self] in silence })
        return (supply, file)
    }

    /// Lets bytes arrive for so many seconds at the rate at which they are played.
    private func receive(seconds: Double) {
        for _ in 0..<Int(seconds * 20) {
            clock.advance(by: 0.05)
            station.receive(Self.rate / 20, at: clock.now)
        }
    }

    /// Reads so many bytes as a decoder does.
    private func read(_ count: Int, of file: MediaFile) {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            done += unsafe bytes.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe file.read(into: base + done, count: count - done)
            }
        }
    }

    @Test func `ByteSupply decodes as soon as a piece has arrived, as long as there is sound`()
        throws
    {
        var (supply, file) = try supply(65_536)
        #expect(supply.suffices() == true)
        silence = .none
        read(50_000, of: file)
        #expect(supply.suffices() == false)

        for _ in 1...20 {
            supply.beginWaiting()
            receive(seconds: 0.5)
            #expect(supply.suffices() == false)
            receive(seconds: 0.1)
            #expect(supply.suffices() == true)
            read(Int(0.6 * Double(Self.rate)), of: file)
        }
    }

    @Test func `ByteSupply waits for more after each stall`() throws {
        var (supply, file) = try supply(65_536)
        #expect(supply.suffices() == true)
        var waits: [Double] = []
        for _ in 1...3 {
            silence = .none
            read(Int(station.stream?.readable(from: file.place) ?? 0), of: file)
            supply.beginWaiting()
            silence = .starved
            var seconds = 0.0
            while !supply.suffices() {
                receive(seconds: 0.25)
                seconds += 0.25
            }
            waits.append(seconds)
        }

        // A second is what decoding a block may take.
        #expect(waits == [5.25, 9.25, 17.25])
    }

    @Test func `ByteSupply does not count the silence before the first sound as a stall`() throws {
        var (supply, file) = try supply(65_536)
        #expect(supply.suffices() == true)
        read(60_000, of: file)
        supply.beginWaiting()

        receive(seconds: 4.25)

        #expect(supply.suffices() == true)
        #expect(
            station.stream?.reserveSeconds(
                playedAt: 16_000, left: nil, afterStall: false, at: clock.now) ?? 9 <= 3)
    }

    @Test func `ByteSupply learns the rate of a station that does not name it`() throws {
        var (supply, file) = try supply(bitrate: nil, 65_536)
        #expect(supply.suffices() == true)
        silence = .none

        // 32 kbit/s.
        supply.advanced(to: 0, sampleRate: 44100)
        read(12_000, of: file)
        supply.advanced(to: 44100 * 3, sampleRate: 44100)
        read(34_000, of: file)
        supply.beginWaiting()

        // 19,536 bytes are there: more than the least for a block, and half a second.
        #expect(supply.suffices() == true)
    }

    /// A live stream whose bytes are there when the test says so.
    private final class Station: NetworkStreams, @unchecked Sendable {
        // Unchecked: used on the test's thread only.
        var bitrate: Int?
        private(set) weak var stream: TransferStream?
        private var count: Int64 = 0
        private let file: Int32

        init() {
            var path = Array("/tmp/undersong-station.XXXXXX".utf8CString)
            file = unsafe mkstemp(&path)
            unsafe unlink(path)
            ftruncate(file, 16 << 20)
        }

        func receive(_ more: Int, at time: Int64) {
            count += Int64(more)
            update(at: time)
        }

        private func update(at time: Int64? = nil) {
            stream?.update(at: time) {
                $0.hasAnswered = true
                $0.isLive = true
                $0.activity = .receiving
                $0.bitrate = bitrate
                $0.available = ByteRanges([0..<count])
            }
        }

        func stream(at url: String, isForText: Bool) throws(MediaError) -> any NetworkStream {
            let stream = TransferStream(
                url: url, descriptor: file, request: { [weak self] _, _ in self?.update() },
                whenClosed: {})
            self.stream = stream
            return stream
        }

        func openStream(at url: String) -> (any NetworkStream)? { stream }

        func observe(_ observer: @escaping @Sendable (any NetworkStream) -> Bool) {}
    }
}
