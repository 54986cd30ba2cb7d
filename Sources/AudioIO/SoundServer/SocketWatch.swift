import CPulse
import Glibc

/// Calls when a server's socket comes to be in a folder, which may itself not be there yet. Belongs to
/// its main loop's thread.
@safe
final class SocketWatch {
    private let loop: PulseLoop
    private let folder: String
    private let body: () -> Void
    private let descriptor: Int32
    private var event: OpaquePointer?

    /// Begins to watch for anything new in `folder`, an absolute path; nil when the system has no
    /// means left for it.
    init?(_ loop: PulseLoop, folder: String, _ body: @escaping () -> Void) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        self.loop = loop
        self.folder = folder
        self.body = body
        guard descriptor >= 0 else { return nil }
        watch()
        unsafe event = loop.api.pointee.io_new?(
            loop.api, descriptor, PA_IO_EVENT_INPUT, folderHasChanged,
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        if let event = unsafe event { unsafe loop.api.pointee.io_free?(event) }
        if descriptor >= 0 { close(descriptor) }
    }

    /// The folder in which a server that is named `address` has its socket; nil: it has none, or the
    /// address does not say.
    static func folder(ofServer address: String?) -> String? {
        for part in address?.split(separator: " ") ?? [] {
            var path = part
            // A machine's id may stand before it, in braces.
            if path.hasPrefix("{"), let end = path.firstIndex(of: "}") {
                path = path[path.index(after: end)...]
            }
            if path.hasPrefix("unix:") { path = path.dropFirst(5) }
            guard path.hasPrefix("/"), let end = path.lastIndex(of: "/") else { continue }
            return end == path.startIndex ? "/" : String(path[..<end])
        }
        return nil
    }

    /// Watches the folder, or the nearest above it that is there.
    private func watch() {
        let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)
        var path = folder
        while unsafe inotify_add_watch(descriptor, path, mask) < 0 {
            guard let end = path.lastIndex(of: "/"), path != "/" else { return }
            path = end == path.startIndex ? "/" : String(path[..<end])
        }
    }

    fileprivate func look() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
        // The folder may be what has come or gone.
        watch()
        body()
    }
}

private let folderHasChanged: pa_io_event_cb_t = { _, _, _, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<SocketWatch>.fromOpaque(userData).takeUnretainedValue().look()
}
