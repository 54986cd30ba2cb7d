// A player in today's style whose main queue is run by `RunLoop.main.run()`, or by `dispatchMain()`
// if that is the first argument. The others are files.
import Foundation
import ModernPlayer

let listener = Listener(
    playing: CommandLine.arguments.dropFirst(2).map { URL(fileURLWithPath: $0) })
Task {
    await listener.listen()
    exit(0)
}
if CommandLine.arguments[1] == "dispatchMain" { dispatchMain() }
RunLoop.main.run()
