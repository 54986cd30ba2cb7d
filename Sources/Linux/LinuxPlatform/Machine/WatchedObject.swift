/// An object of another service whose properties are followed.
struct WatchedObject: Hashable, Sendable {
    let service: String
    let path: String
    let interface: String
    /// A signal that is kept like a property of the same name: a Boolean is its first argument.
    var signal: String?

    static let networkManager = WatchedObject(
        service: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager",
        interface: "org.freedesktop.NetworkManager")
    static let power = WatchedObject(
        service: "org.freedesktop.UPower", path: "/org/freedesktop/UPower",
        interface: "org.freedesktop.UPower")
    /// All batteries of the machine together.
    static let battery = WatchedObject(
        service: "org.freedesktop.UPower", path: "/org/freedesktop/UPower/devices/DisplayDevice",
        interface: "org.freedesktop.UPower.Device")
    /// The power profiles, under the name that they have had since version 0.20.
    static let profiles = WatchedObject(
        service: "org.freedesktop.UPower.PowerProfiles",
        path: "/org/freedesktop/UPower/PowerProfiles",
        interface: "org.freedesktop.UPower.PowerProfiles")
    static let oldProfiles = WatchedObject(
        service: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles",
        interface: "net.hadess.PowerProfiles")
    static let login = WatchedObject(
        service: "org.freedesktop.login1", path: "/org/freedesktop/login1",
        interface: "org.freedesktop.login1.Manager", signal: "PrepareForSleep")
}
