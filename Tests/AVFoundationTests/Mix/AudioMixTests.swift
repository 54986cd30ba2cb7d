import AVFoundation
import TestSupport
import Testing

extension Players {
    @Suite struct `An item's mix` {
        /// The output of a player of `item`, to the item's end: the loudest sample of each tenth of
        /// a second.
        private func peaks(_ item: AVPlayerItem) async throws -> [Int] {
            let samples: [Int16] = try await Sound.written {
                let player = AVQueuePlayer(items: [item])
                player.play()
                await player.waitFor(current: nil)
            }
            return stride(from: 0, to: samples.count, by: 8820).map { start in
                samples[start..<min(start + 8820, samples.count)].map { abs(Int($0)) }.max() ?? 0
            }
        }

        private func item() -> AVPlayerItem {
            let item = Sound.item(2, seconds: 10.5)
            item.seek(to: CMTime(value: 10, timescale: 1), completionHandler: nil)
            return item
        }

        private func mix(_ set: (AVMutableAudioMixInputParameters) -> Void) -> AVAudioMix {
            let parameters = AVMutableAudioMixInputParameters()
            parameters.trackID = 1
            set(parameters)
            let mix = AVMutableAudioMix()
            mix.inputParameters = [parameters]
            return mix
        }

        @Test func `An item's mix changes the volume over the item's own time`() async throws {
            let plain = try await peaks(item())
            let mixed = item()
            mixed.audioMix = mix { parameters in
                parameters.setVolume(0.5, at: .zero)
                parameters.setVolumeRamp(
                    fromStartVolume: 0.5, toEndVolume: 0,
                    timeRange: CMTimeRange(
                        start: CMTime(value: 101, timescale: 10),
                        end: CMTime(value: 103, timescale: 10)))
            }

            let heard = try await peaks(mixed)

            #expect(plain.count == 5 && heard.count == 5)
            #expect(plain.allSatisfy { $0 > 500 })
            #expect(abs(heard[0] - plain[0] / 2) <= 1)
            #expect(heard[2] < plain[2] / 4 + 1)
            #expect(heard[3] == 0 && heard[4] == 0)
        }

        @Test func `An item's mix is silent while the track is disabled`() async throws {
            let item = item()
            let player = AVQueuePlayer.silent([item])
            await item.waitFor(.readyToPlay)
            #expect(item.tracks.map(\.assetTrack?.mediaType) == [.audio])
            let areEnabled = item.tracks.map { $0.isEnabled }
            #expect(areEnabled == [true])
            player.removeAllItems()

            item.tracks.first?.isEnabled = false

            #expect(item.tracks.map(\.isEnabled) == [false])
            #expect(try await peaks(item).allSatisfy { $0 == 0 })
        }

        @Test func `An item's mix is copied when it is set, and reports its ramps`() throws {
            let parameters = AVMutableAudioMixInputParameters()
            parameters.trackID = 1
            let range = CMTimeRange(
                start: CMTime(value: 1, timescale: 1), duration: CMTime(value: 2, timescale: 1))
            parameters.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0.5, timeRange: range)
            let mix = AVMutableAudioMix()
            mix.inputParameters = [parameters]
            let item = Sound.item()

            item.audioMix = mix
            parameters.setVolume(0, at: .zero)

            let kept = try #require(item.audioMix?.inputParameters.first)
            var (start, end, time) = (Float(0), Float(0), CMTimeRange.invalid)
            #expect(
                !kept.getVolumeRamp(for: .zero, startVolume: nil, endVolume: nil, timeRange: nil))
            #expect(
                kept.getVolumeRamp(
                    for: CMTime(value: 2, timescale: 1), startVolume: &start, endVolume: &end,
                    timeRange: &time))
            #expect(start == 1 && end == 0.5 && time == range)
            #expect(
                kept.getVolumeRamp(
                    for: CMTime(value: 3, timescale: 1), startVolume: &start, endVolume: nil,
                    timeRange: nil))
            #expect(start == 0.5)
        }
    }
}
