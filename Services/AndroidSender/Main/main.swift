import AndroidSender

await AndroidSender.main()
