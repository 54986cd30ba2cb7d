import CUndersongLinux
import Glibc
import Synchronization
package import UndersongBase
package import UndersongPlayback

/// Reads files in the background, so that seeks are fast and estimated lengths become exact. The
/// results for long files are saved in a folder for the next time.
package final class MediaIndexer: Sendable {
    /// The most indexes kept in memory.
    private static let capacity = 16
    /// An index with at least this many encoded frames per entry, which means some minutes of
    /// music, is worth saving.
    private static let savedStep = 16

    private let found = Mutex<[(source: MediaSource, index: MediaIndex)]>([])
    private let work = Mutex(Work())
    private let store: MediaIndexStore?

    /// The files being read.
    private struct Work {
        var count = 0
        /// Raising this number cancels all earlier work.
        var generation = 0
        var waiters: [@Sendable () -> Void] = []
    }

    /// Creates an indexer that saves into `folder`; nil to save nothing.
    package init(folder: String?) { store = folder.map(MediaIndexStore.init) }

    /// The index of `source`, if it was made. Any thread; reads one small file at most.
    package func index(for source: MediaSource) -> MediaIndex? {
        let known = found.withLock { $0.first { $0.source == source }?.index }
        if let known { return known }
        guard let saved = store?.load(source) else { return nil }
        keep(saved, for: source)
        return saved
    }

    /// Makes the index of `source` and then calls `handler` on the indexer's own thread.
    package func make(
        for source: MediaSource, then handler: @escaping @Sendable (MediaIndex) -> Void
    ) {
        guard case .file = source else { return }
        startThread(named: "index") { [self] in
            if let known = index(for: source) { return handler(known) }
            // Nobody waits for it.
            becomeIdle()
            if let index = working({ makeNow(for: source, isCancelled: $0) }) { handler(index) }
        }
    }

    /// Makes the index of `source`, unless it was made before, on the calling thread. Nil if the
    /// file cannot be read, or `isCancelled` returns true.
    @discardableResult
    package func makeNow(
        for source: MediaSource, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> MediaIndex? {
        if let known = index(for: source) { return known }
        guard let index = Self.scan(source, isCancelled) else { return nil }
        keep(index, for: source)
        if index.step >= Self.savedStep { store?.save(index, for: source) }
        return index
    }

    /// Calls `handler` on the indexer's own thread once no file is being read any more. Returns
    /// false, without a call, if none is being read.
    package func whenDone(_ handler: @escaping @Sendable () -> Void) -> Bool {
        work.withLock { work in
            guard work.count > 0 else { return false }
            work.waiters.append(handler)
            return true
        }
    }

    /// Cancels the indexing in progress; it is done again when it is needed.
    package func cancel() { work.withLock { $0.generation += 1 } }

    private func working<Result>(
        _ body: (_ isCancelled: @escaping @Sendable () -> Bool) -> Result
    ) -> Result {
        let generation = work.withLock { work in
            work.count += 1
            return work.generation
        }
        let result = body { [self] in work.withLock { $0.generation != generation } }
        let waiters = work.withLock { work in
            work.count -= 1
            guard work.count == 0 else { return [@Sendable () -> Void]() }
            defer { work.waiters = [] }
            return work.waiters
        }
        for waiter in waiters { waiter() }
        return result
    }

    private func keep(_ index: MediaIndex, for source: MediaSource) {
        found.withLock { found in
            found.removeAll { $0.source == source }
            found.append((source, index))
            if found.count > Self.capacity { found.removeFirst() }
        }
    }

    private static func scan(
        _ source: MediaSource, _ isCancelled: @escaping @Sendable () -> Bool
    ) -> MediaIndex? {
        guard let decoder = try? DecoderRegistry.standard.decoder(for: source) else { return nil }
        return decoder.scan(isCancelled: isCancelled)
    }
}

/// Saves indexes in small files, named after the item's path. An index is valid only while the
/// item's size and modification time are unchanged.
private struct MediaIndexStore: Sendable {
    private static let magic = 0x5853_444E_5500_0001

    let folder: String

    func load(_ source: MediaSource) -> MediaIndex? {
        guard let stamp = stamp(of: source), let numbers = read(path(of: source)),
            numbers.count > 5, numbers[0] == Self.magic, numbers[1] == stamp.size,
            numbers[2] == stamp.modified
        else { return nil }
        return MediaIndex(
            offsets: Array(numbers[5...]), step: numbers[4], frameCount: numbers[3])
    }

    /// Saves the index if possible; failure is harmless.
    func save(_ index: MediaIndex, for source: MediaSource) {
        guard let stamp = stamp(of: source) else { return }
        let numbers =
            [Self.magic, stamp.size, stamp.modified, index.frameCount, index.step] + index.offsets
        Folder.make(folder)
        guard let file = try? NewFile(at: FilePath(path(of: source)), mode: 0o600) else { return }
        let code = unsafe numbers.withUnsafeBytes { unsafe writeAll($0, to: file.descriptor) }
        if code == 0 { try? file.commit(.none) }
    }

    private func read(_ path: String) -> [Int]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var numbers = [Int](repeating: 0, count: 4096)
        let count = unsafe numbers.withUnsafeMutableBytes { bytes in
            unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
        }
        return count > 0 ? Array(numbers.prefix(count / MemoryLayout<Int>.size)) : nil
    }

    private func path(of source: MediaSource) -> String {
        folder + "/" + String(fnv1a(source.path.bytes), radix: 16)
    }

    private func stamp(of source: MediaSource) -> FileStamp? {
        guard case .file(let path) = source else { return nil }
        return FileStamp(of: path)
    }
}

extension FileStamp {
    /// The present stamp of the regular file at `path`; nil if there is none. Blocks on the disk.
    package init?(of path: FilePath) {
        var status = stat()
        guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        self.init(
            size: Int(status.st_size),
            modified: status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec)
    }
}
