import Foundation
import Glibc
import UndersongAppHost
import UndersongBackground
import UndersongBase
import UndersongControl

// The entrance of a program: it alone in the libraries reads the environment and the command line, and
// ends the process.
//
// Of the environment, it uses what `undersong` uses (XDG_RUNTIME_DIR, XDG_STATE_HOME, HOME, PATH),
// UNDERSONG_SESSION, the session whose service it connects to, `default` if it is not set, and
// UNDERSONG_LAUNCH, which the service sets in programs that it launches.

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs the application of this process, and never returns.
///
/// It creates an object of the delegate's class by its `init()`, connects to the user's service, which it
/// starts if none runs, launches the application into the state that it is to have, and runs the main
/// run loop. Without a service, the state is that of the terminal's job control alone.
///
/// `principalClassName` is nil or `UIApplication`: others are not possible, since an application is made
/// by this library. `delegateClassName` is the name as `NSStringFromClass(_:)` returns it,
/// `Module.Class`; a class that is nested, generic or private has no name by which it is found here. With
/// nil there is no delegate, since there are no nibs that would have one. `argc` and `argv` are not
/// used: the command line is read by itself.
@preconcurrency @MainActor public func UIApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
    _ principalClassName: String?, _ delegateClassName: String?
) -> Int32 {
    let principals = ["UIApplication", NSStringFromClass(UIApplication.self)]
    precondition(
        principalClassName.map(principals.contains) ?? true,
        "The application's class can only be UIApplication, not \(principalClassName ?? "")")
    guard let delegateClassName else { Entrance.run(delegate: nil) }
    guard let type = NSClassFromString(delegateClassName) else {
        preconditionFailure("There is no class \(delegateClassName)")
    }
    Entrance.run(delegate: Entrance.make(type))
}

extension UIApplicationDelegate {
    /// Runs the application of this process with a delegate of this class, which its `init()` creates:
    /// for `@main`. Never returns. See `UIApplicationMain(_:_:_:_:)`.
    public static func main() { Entrance.run(delegate: Entrance.make(Self.self)) }
}

@MainActor enum Entrance {
    /// The delegate, which the application does not keep.
    private static var delegate: (any UIApplicationDelegate)?

    static func make(_ type: AnyClass) -> any UIApplicationDelegate {
        guard let type = type as? NSObject.Type,
            let delegate = type.makeByInit() as? any UIApplicationDelegate
        else { preconditionFailure("\(type) is not a UIApplicationDelegate that is an NSObject") }
        return delegate
    }

    static func run(delegate: (any UIApplicationDelegate)?) -> Never {
        let location = ServiceLocation(
            session: variable("UNDERSONG_SESSION") ?? "default", variable: variable)
        let application = UIApplication.shared
        self.delegate = delegate
        application.delegate = delegate
        let arguments = CommandLine.arguments.dropFirst()
        let runtime = AppRuntime(
            application,
            AppRuntime.Surroundings(
                .declared(in: .main, arguments: Array(arguments)),
                launch: variable("UNDERSONG_LAUNCH"), location: location,
                undersong: ServiceStarter.program(
                    named: "undersong", searchPath: location.searchPath)),
            leave: { exit($0) })
        runtime.followSignals()
        runtime.start()
        while true { withExtendedLifetime(delegate) { RunLoop.main.run() } }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}

extension NSObject {
    /// Calls `init()` of the class of the object that is being made. Swift has no way to call an
    /// initializer of a class that is only known at run time, unless it is `required`, which those of
    /// delegates are not. A convenience initializer makes an object of the class for which it is called,
    /// and calls the initializer that this class has; so the one below is called, by its symbol, for that
    /// class.
    @_silgen_name("undersong_make_by_init")
    fileprivate convenience init(byInit: Void) { self.init() }

    @_silgen_name("undersong_make_by_init")
    fileprivate class func makeByInit() -> NSObject
}
