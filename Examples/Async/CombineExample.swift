import Combine
import Foundation

/// Plays songs and prints what their model publishes. It resumes on the main actor, where the model
/// publishes, so that all subscribers have the last values before the program ends.
@MainActor
func combine(_ urls: [URL]) async {
    let model = PlayerModel(urls: urls)
    var subscriptions = Set<AnyCancellable>()
    model.$title
        .sink { print("Title: \($0)") }
        .store(in: &subscriptions)
    Publishers.CombineLatest(model.$isPlaying, model.$playedCount)
        .removeDuplicates { $0 == $1 }
        .sink { isPlaying, playedCount in print("Playing: \(isPlaying), played: \(playedCount)")
        }
        .store(in: &subscriptions)
    model.times
        .map { String(format: "Time: %.2f", $0) }
        .sink { print($0) }
        .store(in: &subscriptions)

    model.play()

    let state = Publishers.CombineLatest(model.$title, model.$isPlaying)
        .drop { title, _ in title.isEmpty }
    for await (title, isPlaying) in state.values where title.isEmpty && !isPlaying { break }
}
