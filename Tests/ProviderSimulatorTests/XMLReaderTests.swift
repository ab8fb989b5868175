import Testing

@testable import ProviderSimulator

@Suite struct XMLReaderTests {
    @Test func readsElementsTextsAndReferences() throws {
        let root = try XMLReader.root(
            of: Array(
                """
                <?xml version="1.0" encoding="utf-8"?>
                <!-- a comment --><toast launch='{"a":"b"}' x:y = "1 &lt; 2">
                  <text id="1">Fish &amp; chips &#8364;&#x20AC;</text><text/><!-- c --><![CDATA[<raw> & ]] ]]>
                </toast >
                """.utf8))
        #expect(root.name == "toast")
        #expect(root.attributes == ["launch": "{\"a\":\"b\"}", "x:y": "1 < 2"])
        #expect(root.children.map(\.name) == ["text", "text"])
        #expect(root["text"]?.text == "Fish & chips €€")
        #expect(root.text.contains("<raw> & ]] "))
    }

    @Test(arguments: [
        "", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a b></a>", "<a b=c/>", "<a b='1' b='2'/>",
        "<a b='1'c='2'/>", "<a b='<'/>", "<a b='1/>", "<a>&unknown;</a>", "<a>&amp</a>", "<a>&#0;</a>",
        "<a>&#xD800;</a>",
        "<a>&#x110000;</a>", "<a>&#xFFFF;</a>", "<a>a]]>b</a>", "<a>\u{1}</a>", "<a>&</a>", "<1a/>", "<a><!-- x</a>",
        "<a><![CDATA[x</a>", "<!DOCTYPE a><a/>", "<a><?php x ?></a>", "<?xml", "<a/ >", "</a>", "<a>&#99999999999;</a>",
    ])
    func refusesWhatIsNotWellFormed(text: String) {
        #expect(throws: XMLError.self) { try XMLReader.root(of: Array(text.utf8)) }
    }

    @Test(arguments: [[0xFF], Array(String(repeating: "\u{301}", count: 31).utf8)])
    func refusesTextsThatNoDecoderTakes(bytes: [UInt8]) {
        #expect(throws: XMLError.self) {
            try XMLReader.root(of: Array("<a>".utf8) + bytes + Array("</a>".utf8))
        }
    }

    @Test(arguments: [(32, true), (33, false)]) func boundsTheDepth(depth: Int, isRead: Bool) {
        let text = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        let root = try? XMLReader.root(of: Array(text.utf8))
        #expect((root != nil) == isRead)
    }
}
