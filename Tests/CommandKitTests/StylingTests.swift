import CommandKit
import Testing

@Suite struct StylingTests {
    @Test(arguments: [
        (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
        (true, ["TERM": "dumb"], false), (true, ["TERM": "xterm"], true),
    ])
    func colorIsForTerminalsThatWantIt(_ isTerminal: Bool, variables: [String: String], isOn: Bool) {
        #expect(Styling(isTerminal: isTerminal, variables: variables).isOn == isOn)
    }

    @Test func aStyleEndsWithItsText() {
        #expect(Styling(isOn: true).apply(.red, to: "x") == "\u{1B}[31mx\u{1B}[0m")
        #expect(Styling(isOn: true).apply(.red, to: "") == "")
        #expect(Styling(isOn: true).apply(nil, to: "x") == "x")
        #expect(Styling.off.apply(.red, to: "x") == "x")
    }

    /// Columns begin at the same place in every line, with and without styles.
    @Test func stylesMoveNoColumn() {
        let styled = Styling(isOn: true).apply(.green, to: "日本")
        let table = Table(header: ["A", "B"], rows: [[styled, "x"], ["abc", "y"]])
        #expect(table.text == "A     B\n\(styled)  x\nabc   y\n")
        #expect(
            table.text(Styling(isOn: true)) == "\u{1B}[1mA\u{1B}[0m     \u{1B}[1mB\u{1B}[0m\n\(styled)  x\nabc   y\n")
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678"), (-1_000, "-1,000")])
    func longNumbersAreGrouped(_ number: Int, text: String) {
        #expect(CountText.grouped(number) == text)
    }
}
