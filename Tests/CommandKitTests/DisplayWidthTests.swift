import CommandKit
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("Grüße", 5), ("e\u{301}", 1), ("日本", 4), ("한국어", 6), ("ＡＢ", 4), ("🎉", 2), ("❤️", 2),
        ("👨‍👩‍👧", 2), ("🇫🇮", 2), ("…–✓", 3), ("a\u{200B}b", 2), ("\u{1B}[31merror\u{1B}[0m", 5), ("a\tb", 2),
    ])
    func columnsAreThoseOfATerminal(_ text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
        ("abc", 1, "…"), ("abc", 0, ""), ("", 0, ""), ("abc", -3, ""),
    ])
    func aClippedTextFits(_ text: String, limit: Int, clipped: String) {
        #expect(DisplayWidth.clip(text, columns: limit) == clipped)
        #expect(DisplayWidth.of(clipped) <= max(0, limit))
    }

    @Test(arguments: [
        (120, "90", 120), (0, "90", 90), (0, nil, 80), (0, "0", 80), (0, "wide", 80), (0, "99999999999999999999", 80),
    ])
    func theTerminalKnowsItsWidthBest(_ reported: Int, variable: String?, columns: Int) {
        let variables = variable.map { ["COLUMNS": $0] } ?? [:]
        #expect(TerminalWidth.columns(reported: reported, variables: variables) == columns)
    }
}
