import TestSupport
import Testing

@Suite struct MarkdownLinksTests {
    private let page = """
        # When `carillon up` fails: exit codes, 64 & 78
        See [one](a.md), [two](../b.md#c) and
        [`three`](#redis); not [four](https://example.com/d.md).
        ```sh
        # no heading, no [link](e.md)
        ```
        ## Redis
        ## [Linked](a.md) heading_x
        ## Redis
        """

    @Test func findsLinksWithinTheRepository() {
        #expect(MarkdownLinks.targets(inPage: page) == ["a.md", "../b.md#c", "#redis", "a.md"])
    }

    @Test func anchorsAreThoseOfGitHub() {
        let known: Set = ["when-carillon-up-fails-exit-codes-64--78", "redis", "linked-heading_x", "redis-1"]
        #expect(MarkdownLinks.anchors(inPage: page) == known)
    }
}
