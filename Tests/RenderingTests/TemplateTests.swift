import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing

@Suite struct TemplateTests {
    private static func body(_ text: String, variables: [String: String] = [:]) throws -> String? {
        var task = try RenderedTask(message: #"{"data":{"n":7,"s":"x","a.b":"dot","yes":true,"list":[1],"none":null}}"#)
        task.task.content.variables = variables
        task.task.content.message?.body = LocalizedText(text)
        return try task.payload(.apns)["aps"]?["alert"]?["body"]?.text
    }

    @Test(arguments: [
        ("${var.name} rings", "Ann rings"), ("${data.n}${data.s}", "7x"), ("${data.a.b}", "dot"),
        ("${data.yes}", "true"),
        ("no $ {x} $", "no $ {x} $"), ("$${var.name}", "$Ann"), ("${var.mark}{", "${{"), ("é${var.name}é", "éAnné"),
        ("${var.again}", "${var.name}"), ("", ""),
    ])
    func valuesAreFilledInOnce(text: String, expected: String) throws {
        let variables = ["name": "Ann", "mark": "${", "again": "${var.name}"]
        #expect(try TemplateTests.body(text, variables: variables) == expected)
    }

    @Test(arguments: [
        ("${var.nobody}", "add it to variables"), ("${data.nobody}", "add it to message.data"),
        ("${data.list}", "expected a string, a number"), ("${data.none}", "expected a string, a number"),
        ("${event.name}", "expected ${var.name} or ${data.name}"), ("${", "add a }"), ("${var.name", "add a }"),
        ("${}", "expected ${var.name}"), ("${var.}", "add it to variables"),
    ])
    func whatHasNoValueIsAFlaw(text: String, cure: String) {
        let flaw = #expect(throws: RenderingError.self) { try TemplateTests.body(text) }
        #expect(flaw?.path == "message.body")
        #expect(flaw?.message.contains(cure) == true, "\(flaw?.message ?? "")")
    }

    @Test func theTranslationIsNamed() throws {
        let task = try RenderedTask(message: #"{"title":{"default":"Hello","fr-CA":"Salut ${var.name}"}}"#)
        #expect(task.rendering.checkLimits().map(\.path) == ["message.title.fr-ca"])
    }

    /// A short text may contain a variable with a long value many times.
    @Test func whatGrowsWithoutBoundIsRefused() {
        let text = String(repeating: "${var.x}", count: 500)
        let variables = ["x": String(repeating: "y", count: 1_000_000)]
        let flaw = #expect(throws: RenderingError.self) { try TemplateTests.body(text, variables: variables) }
        #expect(flaw?.message.contains("4096 bytes") == true)
    }
}
