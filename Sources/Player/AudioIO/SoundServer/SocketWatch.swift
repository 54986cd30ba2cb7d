import CUndersongPulse
import UndersongBase

/// Notifies when a server's socket appears in a folder, which may itself not exist yet. Belongs to
/// its main loop's thread.
@safe
final class SocketWatch {
    private let loop: PulseLoop
    private let watch: FolderWatch
    private let body: () -> Void
    private var event: OpaquePointer?

    /// Starts to watch for anything new in `folder`, an absolute path; nil if the system has no
    /// resources left for it.
    init?(_ loop: PulseLoop, folder: String, _ body: @escaping () -> Void) {
        guard let watch = FolderWatch(folder) else { return nil }
        self.loop = loop
        self.watch = watch
        self.body = body
        unsafe event = loop.api.pointee.io_new?(
            loop.api, watch.descriptor, PA_IO_EVENT_INPUT, folderHasChanged,
            Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { if let event = unsafe event { unsafe loop.api.pointee.io_free?(event) } }

    /// The folder of the socket of a server at `address`; nil if it has none or the address does
    /// not say.
    static func folder(ofServer address: String?) -> String? {
        for part in address?.split(separator: " ") ?? [] {
            var path = part
            // A machine id in braces may precede it.
            if path.hasPrefix("{"), let end = path.firstIndex(of: "}") {
                path = path[path.index(after: end)...]
            }
            if path.hasPrefix("unix:") { path = path.dropFirst(5) }
            guard path.hasPrefix("/"), let end = path.lastIndex(of: "/") else { continue }
            return end == path.startIndex ? "/" : String(path[..<end])
        }
        return nil
    }

    fileprivate func look() {
        watch.clear()
        body()
    }
}

private let folderHasChanged: pa_io_event_cb_t = { _, _, _, _, userData in
    guard let userData = unsafe userData else { return }
    unsafe Unmanaged<SocketWatch>.fromOpaque(userData).takeUnretainedValue().look()
}
