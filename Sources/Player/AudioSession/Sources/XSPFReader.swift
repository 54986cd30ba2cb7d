import CUndersongExpat
import Glibc
import UndersongPlayback

/// Reads an XSPF playlist as its bytes arrive.
///
/// A playlist may come from anywhere: nothing outside it is accessed. Entities that it declares are
/// an error, and so is a part too long for the parser to keep in memory.
@safe final class XSPFReader: PlaylistReader {
    /// The maximum length of a tag or comment in bytes.
    private static let tokenLimit = 1 << 20

    private let parser: XML_Parser
    private var elements: XSPFElements
    private var found: [QueueEntry] = []
    private var failure: PlaylistError?
    /// The number of bytes read so far.
    private var size = 0

    /// Creates a reader for a playlist in `context`.
    init(_ context: PlaylistContext) {
        elements = XSPFElements(context)
        let separator = XML_Char(bitPattern: XSPFElements.separator)
        guard let parser = unsafe XML_ParserCreateNS(nil, separator) else {
            preconditionFailure("out of memory for an XML parser")
        }
        unsafe self.parser = unsafe parser
        unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe XML_SetElementHandler(
            parser, { unsafe reader($0).begin($1, $2) }, { data, _ in unsafe reader(data).end() })
        unsafe XML_SetCharacterDataHandler(parser) { unsafe reader($0).add($1, Int($2)) }
        unsafe XML_SetUnknownEncodingHandler(parser, { unsafe setEncoding($1, $2) }, nil)
        unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            unsafe reader(data).stop(PlaylistError("It declares entities"))
        }
    }

    deinit { unsafe XML_ParserFree(parser) }

    func read(_ bytes: Span<UInt8>, into entries: inout [QueueEntry]) throws(PlaylistError) {
        size += bytes.count
        unsafe bytes.withUnsafeBytes { pointer in
            let text = unsafe pointer.bindMemory(to: XML_Char.self).baseAddress
            unsafe parse(text, Int32(pointer.count), isLast: false)
        }
        try hand(to: &entries)
        guard size - Int(unsafe XML_GetCurrentByteIndex(parser)) <= Self.tokenLimit else {
            throw PlaylistError("A part of it is too long")
        }
    }

    func finish(into entries: inout [QueueEntry]) throws(PlaylistError) {
        unsafe parse(nil, 0, isLast: true)
        try hand(to: &entries)
    }

    private func parse(_ text: UnsafePointer<XML_Char>?, _ count: Int32, isLast: Bool) {
        guard failure == nil, unsafe XML_Parse(parser, text, count, isLast ? 1 : 0) != XML_STATUS_OK
        else { return }
        let reason =
            unsafe XML_ErrorString(XML_GetErrorCode(parser)).map { unsafe String(cString: $0) }
        let line = unsafe XML_GetCurrentLineNumber(parser)
        failure = failure ?? PlaylistError("Line \(line): \(reason ?? "not XML")")
    }

    /// Entries before an error are still delivered.
    private func hand(to entries: inout [QueueEntry]) throws(PlaylistError) {
        entries += found
        found.removeAll(keepingCapacity: true)
        if let failure { throw failure }
    }

    // MARK: Parser callbacks

    fileprivate func begin(
        _ name: UnsafePointer<XML_Char>?,
        _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard failure == nil, let name = unsafe name else { return }
        var (base, rel): ([UInt8]?, [UInt8]?) = (nil, nil)
        var index = 0
        while let key = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            if unsafe strcmp(key, "rel") == 0 { rel = unsafe bytes(value) }
            if unsafe strcmp(key, "http://www.w3.org/XML/1998/namespace|base") == 0 {
                base = unsafe bytes(value)
            }
            index += 2
        }
        do throws(PlaylistError) {
            let text = unsafe UnsafeRawBufferPointer(start: name, count: strlen(name))
            try elements.begin(
                unsafe text.bindMemory(to: UInt8.self).span, base: base, rel: rel)
        } catch {
            stop(error)
        }
    }

    fileprivate func add(_ text: UnsafePointer<XML_Char>?, _ count: Int) {
        guard failure == nil else { return }
        let text = unsafe UnsafeRawBufferPointer(start: text, count: count)
        elements.add(unsafe text.bindMemory(to: UInt8.self).span)
    }

    fileprivate func end() {
        if failure == nil { elements.end(into: &found) }
    }

    fileprivate func stop(_ error: PlaylistError) {
        failure = failure ?? error
        unsafe XML_StopParser(parser, XML_Bool(XML_FALSE))
    }
}

/// The reader to which a parser's callback belongs.
private func reader(_ data: UnsafeMutableRawPointer?) -> XSPFReader {
    guard let data = unsafe data else { preconditionFailure("the parser has no reader") }
    return unsafe Unmanaged<XSPFReader>.fromOpaque(data).takeUnretainedValue()
}

/// Sets the character for each byte of a character set unknown to the parser; returns whether it is
/// a single-byte set.
private func setEncoding(
    _ name: UnsafePointer<XML_Char>?, _ encoding: UnsafeMutablePointer<XML_Encoding>?
) -> Int32 {
    guard let name = unsafe name, let encoding = unsafe encoding,
        let characters = unsafe CharacterSet.characters(String(cString: name))
    else { return 0 }
    unsafe withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
        for (index, character) in characters.enumerated() {
            unsafe map.storeBytes(
                of: character, toByteOffset: index * MemoryLayout<Int32>.size, as: Int32.self)
        }
    }
    return 1
}

private func bytes(_ text: UnsafePointer<XML_Char>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
}
