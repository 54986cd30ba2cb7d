public import ArgumentParser
public import Playback

extension FilePath: ExpressibleByArgument {
    /// Reads a path from one of `ProcessArguments.texts`.
    public init(argument: String) { self.init(bytes: ProcessArguments.bytes(of: argument)) }

    /// How the shell completes it.
    public static var defaultCompletionKind: CompletionKind { .file() }
}
