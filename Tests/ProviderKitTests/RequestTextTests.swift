import ProviderKit
import PushModel
import ServiceKit
import Testing
import Topics

@Suite struct RequestTextTests {
    @Test(arguments: ["a", "Z-9_", "1001234"]) func aPlainNameNeedsNoEscaping(name: String) {
        #expect(RequestText.isPathPart(name))
    }

    @Test(arguments: ["", "a/b", "..", "a b", "a?b", "a%2Fb", "é", "a\n"]) func anythingElseDoes(name: String) {
        #expect(!RequestText.isPathPart(name))
    }

    @Test func aHeaderTakesNoControlCharacters() {
        #expect(RequestText.isHeaderWord("wns/toast", bytesMaximum: 9))
        #expect(!RequestText.isHeaderWord("wns/toast", bytesMaximum: 8))
        #expect(!RequestText.isHeaderWord("a b", bytesMaximum: 9) && !RequestText.isHeaderWord("ä", bytesMaximum: 9))
        #expect(RequestText.isHeaderText("a b ä", bytesMaximum: 9))
        for text in ["a\r\nb", "a\u{0}", "a\u{7F}"] {
            #expect(!RequestText.isHeaderText(text, bytesMaximum: 9))
        }
    }

    @Test func aSecretIsTheLineOfItsFile() {
        #expect(Secret(line: Array("s ecret \r\n\n".utf8)) == Secret("s ecret"))
        #expect(Secret(text: Array("s ecret \r\n\n".utf8)) == Secret("s ecret "))
        for content in [[], Array(" \n".utf8), [0xFF]] { #expect(Secret(line: content) == nil) }
    }

    @Test func aValueIsMadeOncePerContent() {
        let contents = (0..<2).map { number in
            PushContent(
                RenderedVariant(
                    kind: .http, priority: .high, pushType: "\(number)", collapseID: "", expiration: 0,
                    payload: PayloadTemplate([])))
        }
        var made: [String] = []
        var values = PerContent<String>()
        for number in [0, 0, 1, 1, 0] {
            let value = values.value(of: contents[number]) { content in
                made.append(content.variant.pushType)
                return content.variant.pushType
            }
            #expect(value == "\(number)")
        }
        #expect(made == ["0", "1", "0"])
    }
}
