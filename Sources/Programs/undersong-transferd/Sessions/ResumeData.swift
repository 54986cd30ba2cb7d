import FoundationEssentials
import Glibc
import UndersongBase
import UndersongTransfers

/// With what a cancelled download is continued: a small text, which is an application's to keep.
struct ResumeData: Hashable, Codable {
    /// The most bytes of the text.
    static let most = 4096

    /// Increases when older programs would misread the rest.
    var version = 1
    /// The name of what is there.
    var part: String
    /// How many of its bytes count.
    var offset: Int64
    /// What proves that a response continues them.
    var validator: Validator
    /// The length of the whole file.
    var total: Int64?
    /// The URL that has answered.
    var url: String?
    /// The URL that was asked for.
    var original: String
    /// The request's header fields.
    var fields: [SessionTask.Field]

    /// What a download of a session is continued with; nil if it cannot be.
    init?(_ task: TransferTask, part name: String) {
        guard let session = task.session, session.canContinue, task.part.offset > 0,
            let validator = task.part.validator
        else { return nil }
        part = name
        offset = task.part.offset
        self.validator = validator
        total = task.part.total
        url = task.part.url
        original = task.request.url
        fields = session.fields
    }

    /// Reads a text; nil for any other.
    init?(_ text: String) {
        guard text.utf8.count <= Self.most,
            let data = try? JSONDecoder().decode(ResumeData.self, from: Data(text.utf8)),
            data.version == 1, data.offset > 0, UUID(uuidString: data.part) != nil,
            TransferURL(data.original) != nil, data.url.map({ TransferURL($0) != nil }) ?? true
        else { return nil }
        self = data
    }

    /// The text; nil if it is too long.
    var text: String? {
        guard let bytes = try? JSONLine.bytes(of: self), bytes.count <= Self.most else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How far the download is.
    var progress: TransferPart {
        var progress = TransferPart()
        progress.offset = offset
        progress.validator = validator
        progress.total = total
        progress.url = url
        return progress
    }
}
