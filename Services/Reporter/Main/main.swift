import Reporter

await Reporter.main()
