public import ArgumentParser
public import UndersongBase
import UndersongPlayback

extension FilePath: ExpressibleByArgument {
    /// Makes a path from one of `ProcessArguments.texts`.
    public init(argument: String) { self.init(bytes: ProcessArguments.bytes(of: argument)) }

    /// How a shell completes a path.
    public static var defaultCompletionKind: CompletionKind { .file() }
}
