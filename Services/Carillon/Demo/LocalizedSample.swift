/// A task of the native API with a text for each of `DemoDevice.languages`.
enum LocalizedSample {
    static let titles = ["en": "Good morning", "fr": "Bonjour", "de": "Guten Morgen", "fi": "Hyvää huomenta"]

    static let body = """
        {
          "audience": {"all": true},
          "message": {
            "title": {"default": "Good morning", "fr": "Bonjour", "de": "Guten Morgen", "fi": "Hyvää huomenta"},
            "body": {"default": "${var.count} stories for you", "fr": "${var.count} articles pour vous",
                     "de": "${var.count} Artikel für Sie", "fi": "${var.count} juttua sinulle"},
            "url": "https://example.com/news", "badge": "increment"
          },
          "variables": {"count": "3"}
        }

        """
}
