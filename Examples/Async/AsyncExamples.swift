import Foundation
import ModernPlayer

/// The same player in an asynchronous `main`. The arguments are files.
@main
struct ModernPlayerAsync {
    static func main() async {
        let urls = CommandLine.arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }
        await Listener(playing: urls).listen()
    }
}
