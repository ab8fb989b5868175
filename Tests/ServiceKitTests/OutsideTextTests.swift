import ServiceKit
import Testing

@Suite struct OutsideTextTests {
    private static let marks = "\u{301}\u{323}"

    @Test func takesWhatPeopleWrite() {
        for text in ["", "Goal", "But à Zürich", "Tiếng Việt", "हिन्दी", "ไทย", "ᄒ\u{1161}\u{11AB}글", "👩‍👩‍👧‍👦 🇨🇭"] {
            #expect(OutsideText.string(Array(text.utf8)) == text)
        }
    }

    @Test func bytesThatAreNoUTF8AreNoText() {
        #expect(OutsideText.string([0x61, 0xFF]) == nil)
        #expect(OutsideText.string([0xCC]) == nil)
    }

    @Test func thirtyMarksInARowAreTheMost() {
        let most = String(repeating: OutsideTextTests.marks, count: 15)
        #expect(OutsideText.isStreamSafe("e\(most)"))
        #expect(OutsideText.isStreamSafe("\(most)e\(most)"))
        #expect(!OutsideText.isStreamSafe("e\(most)\u{301}"))
        #expect(!OutsideText.isStreamSafe("a word, and \(most)\u{301}"))
        #expect(OutsideText.string(Array("\(most)\u{301}".utf8)) == nil)
    }

    /// An emoji and its joiners are one character, however many there are.
    @Test func anExcerptIsShortInBytes() {
        let name = String(repeating: "\u{1F468}\u{200D}", count: 10_000)
        #expect(OutsideText.excerpt(name).utf8.count <= 256)
        #expect(OutsideText.excerpt("sport") == "sport")
    }

    /// An invalid byte between marks is read as U+FFFD, which ends the run, as in the `String` made of these bytes.
    @Test func brokenBytesEndARow() {
        let most = Array(String(repeating: OutsideTextTests.marks, count: 15).utf8)
        for (bytes, isSafe) in [(most + [0xFF] + most, true), ([0xFF] + most + most, false)] {
            #expect(bytes.withUnsafeBytes { OutsideText.isStreamSafe($0) } == isSafe)
        }
    }

    /// Text that cannot be refused is changed as little as possible.
    @Test func tooManyMarksAreReplacedWhereATextCannotBeRefused() {
        let most = String(repeating: OutsideTextTests.marks, count: 15)
        #expect(OutsideText.replacing(Array("e\(most), \(most)".utf8)) == "e\(most), \(most)")
        let replaced = OutsideText.replacing(Array("e\(most)\u{301}\u{323}f\u{301}".utf8))
        #expect(Array(replaced.utf8) == Array("e\(most)\u{FFFD}\u{FFFD}f\u{301}".utf8))
        #expect(OutsideText.replacing([0x61, 0xFF]) == "a\u{FFFD}")
        #expect("e\(most)\u{301}".withCString { OutsideText.replacing(cString: $0) } == "e\(most)\u{FFFD}")
    }
}
