import SwiftParser
import SwiftSyntax

/// Finds the mutants of a source: negated conditions, exchanged operators and Boolean values, integer
/// literals that are greater by one, and calls that are left out.
final class MutantFinder: SyntaxVisitor {
    private static let exchanged = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
        "+": "-", "-": "+", "+=": "-=", "-=": "+=",
    ]
    /// Calls that are there for the programmer, without an effect on a correct program.
    private static let assertions: Set = [
        "assert", "assertionFailure", "fatalError", "precondition", "preconditionFailure",
    ]

    private let converter: SourceLocationConverter
    private var mutants: [Mutant] = []

    /// The mutants of a source, by place.
    static func mutants(of source: String) -> [Mutant] {
        let tree = Parser.parse(source: source)
        let finder = MutantFinder(tree)
        finder.walk(tree)
        return finder.mutants.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
    }

    private init(_ tree: SourceFileSyntax) {
        converter = SourceLocationConverter(fileName: "", tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    private func replace(_ node: some SyntaxProtocol, with replacement: String) {
        let start = node.positionAfterSkippingLeadingTrivia
        mutants.append(
            Mutant(
                line: converter.location(for: start).line,
                range: start.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset,
                original: node.trimmedDescription, replacement: replacement))
    }

    // MARK: Conditions

    private func negate(_ condition: ExprSyntax) {
        // The operators and literals within have mutants of their own, which say the same.
        guard !condition.is(BooleanLiteralExprSyntax.self), !isComparison(condition) else { return }
        replace(condition, with: "!(\(condition.trimmedDescription))")
    }

    /// A condition whose negation is that of its only operator.
    private func isComparison(_ condition: ExprSyntax) -> Bool {
        guard let elements = condition.as(SequenceExprSyntax.self)?.elements else { return false }
        let operators = elements.compactMap { $0.as(BinaryOperatorExprSyntax.self)?.operator.text }
        return operators == ["=="] || operators == ["!="]
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let condition) = node.condition { negate(condition) }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        negate(node.condition)
        return .visitChildren
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        if elements.count == 3, elements[1].is(UnresolvedTernaryExprSyntax.self) {
            negate(elements[0])
        }
        for (index, element) in elements.enumerated() {
            guard let token = element.as(BinaryOperatorExprSyntax.self)?.operator,
                let other = Self.exchanged[token.text]
            else { continue }
            let operands = [index - 1, index + 1].filter(elements.indices.contains)
            // Strings and arrays are joined; they have no difference.
            let joins = operands.contains {
                elements[$0].is(StringLiteralExprSyntax.self)
                    || elements[$0].is(ArrayExprSyntax.self)
            }
            if !joins || token.text != "+" && token.text != "+=" { replace(token, with: other) }
        }
        return .visitChildren
    }

    // MARK: Values

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        replace(node, with: node.literal.text == "true" ? "false" : "true")
        return .skipChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let digits = node.literal.text.replacing("_", with: "")
        let radix = ["0x": 16, "0o": 8, "0b": 2][digits.prefix(2)] ?? 10
        if let value = UInt64(radix == 10 ? digits[...] : digits.dropFirst(2), radix: radix),
            value < .max
        {
            replace(node, with: String(value + 1))
        }
        return .skipChildren
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
        for item in node where !(node.count == 1 && isValue(node)) {
            guard case .expr(let expression) = item.item, let call = call(in: expression),
                !Self.assertions.contains(call.calledExpression.trimmedDescription)
            else { continue }
            replace(expression, with: "_ = ()")
        }
        return .visitChildren
    }

    private func call(in expression: ExprSyntax) -> FunctionCallExprSyntax? {
        if let attempt = expression.as(TryExprSyntax.self) { return call(in: attempt.expression) }
        if let waiting = expression.as(AwaitExprSyntax.self) { return call(in: waiting.expression) }
        return expression.as(FunctionCallExprSyntax.self)
    }

    /// True if the only expression in a list is what the code around it returns.
    private func isValue(_ list: CodeBlockItemListSyntax) -> Bool {
        guard let parent = list.parent else { return false }
        if parent.is(ClosureExprSyntax.self) || parent.is(AccessorBlockSyntax.self) { return true }
        if let function = parent.parent?.as(FunctionDeclSyntax.self) {
            return function.signature.returnClause != nil
        }
        if let accessor = parent.parent?.as(AccessorDeclSyntax.self) {
            return accessor.accessorSpecifier.text == "get"
        }
        return false
    }

    // MARK: What the compiler reads

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    override func visit(_ node: EnumCaseElementSyntax) -> SyntaxVisitorContinueKind {
        .skipChildren
    }

    override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
        if let elements = node.elements { walk(elements) }
        return .skipChildren
    }
}
