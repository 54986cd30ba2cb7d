// Interruptions and route changes as an iOS app handles them: `InterruptionsExample FILE FILE`
// plays two files. A call comes in during the first, and headphones are plugged in and pulled out.
import AVFoundation

let controller = AudioController(
    urls: CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) })
controller.configureSession()
let observer = SessionObserver(controller: controller)
let script = SystemScript(controller: controller)
controller.play()
RunLoop.main.run()
