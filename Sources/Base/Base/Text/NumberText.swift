/// A number for display, without a fraction if it is an integer.
package func numberText(_ number: Double) -> String {
    let hundredths = (number * 100).rounded() / 100
    return hundredths == hundredths.rounded() && abs(hundredths) < 1e15
        ? String(Int(hundredths)) : String(hundredths)
}
