import WebSender

await WebSender.main()
