import UndersongXML

/// Reads XML from anywhere as its bytes arrive. Usual faults are repaired.
final class FeedXMLReader<Elements: XMLElements> where Elements.Refusal == FeedError {
    private static var sizeLimit: Int { FeedReader.sizeLimit }

    private let reader: XMLReader<Elements>
    private var repair: XMLRepair
    private var failure: FeedError?
    private var size = 0
    /// The beginning of the document, by which a web page is recognized.
    private var head: [UInt8] = []

    /// `charset` is the character set that the server names. `characters` has the character for each
    /// byte of a single-byte set that the parser does not know, by the set's name, -1 for none; nil for
    /// an unknown set.
    init(
        _ elements: Elements, charset: String? = nil, characters: @escaping (String) -> [Int32]?
    ) {
        var options = XMLOptions()
        options.depthLimit = 256
        options.partLimit = 1 << 20
        options.entityLimits = (count: 512, length: 64)
        options.characters = characters
        reader = XMLReader(elements, options)
        repair = XMLRepair(charset: charset, characters: characters)
    }

    /// Reads the next bytes.
    ///
    /// - Throws: An error if the document is refused; so are all bytes after that.
    func read(_ bytes: Span<UInt8>) throws(FeedError) {
        if let failure { throw failure }
        size += bytes.count
        guard size <= Self.sizeLimit else {
            throw fail(FeedError(.tooLarge, "It is longer than \(Self.sizeLimit >> 20) MiB"))
        }
        for index in bytes.indices.prefix(max(0, 1024 - head.count)) { head.append(bytes[index]) }
        try parse(repair.repair(bytes))
    }

    /// Ends the document.
    ///
    /// - Throws: An error if it is not complete.
    func finish() throws(FeedError) {
        if let failure { throw failure }
        try parse(repair.repair(Span(), isLast: true))
        do throws(XMLFailure<FeedError>) { try reader.finish() } catch { throw refusal(error) }
    }

    private func parse(_ bytes: [UInt8]) throws(FeedError) {
        if reader.size == 0, let encoding = repair.encoding { reader.setEncoding(encoding) }
        do throws(XMLFailure<FeedError>) {
            try reader.read(bytes.span)
        } catch {
            throw refusal(error)
        }
    }

    private func refusal(_ failure: XMLFailure<FeedError>) -> FeedError {
        fail(
            failure.refusal { error in
                switch error.code {
                case .syntax where isWebPage: .webPage
                case .syntax where reader.size == 0: FeedError(.notFeed, "It is empty")
                case .syntax: FeedError(.damaged, "It is not valid XML: \(error)")
                case .limit: FeedError(.tooLarge, error.description)
                case .entities: FeedError(.entities, error.description)
                }
            })
    }

    private func fail(_ error: FeedError) -> FeedError {
        failure = error
        return error
    }

    /// True for bytes that begin as a web page does.
    private var isWebPage: Bool {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        return text.contains("<!doctype html") || text.contains("<html")
    }
}

extension FeedError {
    package static let webPage = FeedError(.webPage, "It is a web page, not a feed")
}
