// Interruptions and route changes as an app for iOS handles them: `InterruptionsExample FILE FILE`
// plays two files; a call comes in during the first, and headphones come and go.
import AVFoundation

let controller = AudioController(
    urls: CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) })
controller.configureSession()
let observer = SessionObserver(controller: controller)
let script = SystemScript(controller: controller)
controller.play()
RunLoop.main.run()
