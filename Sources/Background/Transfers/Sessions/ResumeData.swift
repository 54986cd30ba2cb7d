/// The data with which a cancelled download is continued. An application keeps it as a text, in
/// JSON.
package struct ResumeData: Hashable, Codable, Sendable {
    /// The maximum length of the text in bytes.
    package static let limit = 4096
    private static let version = 1

    /// Increases when older programs would misread the rest.
    private var version = Self.version
    /// The name of what is there.
    package var name: String
    /// The part that is there.
    package var part: TransferPart
    /// The URL that was asked for.
    package var original: String
    /// The request's header fields.
    package var fields: [SessionTask.Field]

    /// The data with which a download of a session continues; nil if it cannot.
    package init?(_ task: TransferTask, part name: String) {
        guard let session = task.session, session.canContinue, task.part.offset > 0,
            task.part.validator != nil
        else { return nil }
        self.name = name
        part = task.part
        original = task.request.url
        fields = session.fields
    }

    /// False if an application has changed the data so that it cannot be used.
    package var isValid: Bool {
        version == Self.version && part.offset > 0 && part.validator != nil
            && TransferURL(original) != nil && part.url.map { TransferURL($0) != nil } ?? true
    }
}
