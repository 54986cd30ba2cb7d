/// Numbers as people read them: without a fraction where there is none.
package func numberText(_ number: Double) -> String {
    let hundredths = (number * 100).rounded() / 100
    return hundredths == hundredths.rounded() && abs(hundredths) < 1e15
        ? String(Int(hundredths)) : String(hundredths)
}
