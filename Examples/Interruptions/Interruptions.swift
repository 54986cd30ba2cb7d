import AVFoundation

/// Interruptions and route changes as an iOS app handles them: plays two files. A call comes in during
/// the first, and headphones are plugged in and pulled out.
@MainActor
func interruptions(_ files: [String]) -> Any {
    let controller = AudioController(urls: files.map { URL(fileURLWithPath: $0) })
    controller.configureSession()
    let observer = SessionObserver(controller: controller)
    let script = SystemScript(controller: controller)
    controller.play()
    return [controller, observer, script]
}
