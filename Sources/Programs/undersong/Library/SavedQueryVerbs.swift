import ArgumentParser
import UndersongCommandOptions
import UndersongLibrary

/// Completes the names of saved queries.
private let savedQueries = CompletionKind.custom { _, _, _ in QueryCompletion.savedNames() }

/// The verbs of `library` for saved queries.
extension LibraryVerb {
    struct Save: Verb {
        static let configuration = described(
            "save", "Save a query under a name, as a list that is always current.",
            discussion: """
                A query already saved under this name is replaced. In other queries it is @NAME.

                \(QueryArguments.help)

                Examples:
                  undersong library save Quiet genre:ambient rating:4..
                  undersong library save Fresh added:30d sort:-added limit:100
                  undersong play --library @Quiet
                """)
        @Argument(help: "The name.", completion: savedQueries) var name: String
        @OptionGroup var found: QueryArguments
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "save the query"
            let query = try found.query(to: purpose)
            guard !query.text.isEmpty else {
                throw Failure("cannot \(purpose): It is empty", status: 64)
            }
            let call = SaveQuery(name: name, query: query.text)
            try options.ask(purpose, call) { _ in "saved as \(SavedQuery.reference(to: name))" }
        }
    }

    struct Lists: CallVerb {
        static let purpose = "list the saved queries"
        static let configuration = described("lists", "List the saved queries.")
        @OptionGroup var options: SessionOptions

        func call() -> ListQueries { ListQueries() }

        static func text(_ reply: SavedQueries) -> String {
            guard !reply.queries.isEmpty else { return "no query is saved" }
            let names = Columns.aligned(reply.queries.map { SavedQuery.reference(to: $0.name) })
            return zip(names, reply.queries).map { "\($0)  \(Columns.printable($1.query))" }
                .joined(separator: "\n")
        }
    }

    struct Forget: Verb {
        static let configuration = described("forget", "Remove a saved query.")
        @Argument(help: "The name it was saved under.", completion: savedQueries) var name: String
        @OptionGroup var options: SessionOptions

        func perform() throws {
            let purpose = "forget a query"
            let service = try options.service(to: purpose)
            let names = try service.call(ListQueries()).queries.map(\.name)
            guard names.contains(name) else {
                throw Failure(
                    "cannot \(purpose): No query is saved as \(Columns.printable(name))"
                        + Suggestion.text(for: name, among: names))
            }
            options.show(try service.call(SaveQuery(name: name, query: nil))) { _ in "" }
        }
    }
}

extension SavedQuery {
    /// A saved query as other queries name it, for display: `@Quiet`, `@"To hear"`.
    fileprivate static func reference(to name: String) -> String {
        Columns.printable(LibraryQuery(.saved(name)).text)
    }
}
