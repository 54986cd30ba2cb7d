import Testing
import UndersongPodcasts

@Suite struct `A web page` {
    @Test func `A web page names its feeds in its head`() {
        let page = page(
            """
            <!doctype html><html><head><title>A &lt;link&gt;</title>
            <LINK REL='alternate' TYPE="Application/RSS+XML" title="a > b" HREF="/feed?a=1&amp;b=2">
            <link rel=alternate type=application/atom+xml href=http://b/atom.xml/>
            <link rel="alternate" type="application/rss+xml" href="/feed?a=1&amp;b=2"/>
            <link rel="stylesheet" type="application/rss+xml" href="no.css">
            <link rel="alternate" type="text/html" href="no.html">
            <link rel="alternate" hreflang type="application/rss+xml"><linked rel="alternate">
            """)

        #expect(page.feeds == ["http://a/feed?a=1&b=2", "http://b/atom.xml/"])
    }

    @Test(
        arguments: [
            ("rss", "https://a:8/b/c?d/e#f", "https://a:8/b/rss"),
            ("/rss", "https://a/b", "https://a/rss"),
            ("//b/rss", "https://a/b", "https://b/rss"), ("?rss", "https://a", "https://a/?rss"),
            ("?rss", "https://a/b/c?d", "https://a/b/c?rss"),
            ("../rss", "https://a/b/c", "https://a/rss"),
            ("./../../../rss/.", "https://a/b/c/", "https://a/rss/"), ("///rss", "https://a/", nil),
            ("http://b/rss", "https://a/", "http://b/rss"), ("javascript:x", "https://a/", nil),
            ("file:///etc/passwd", "https://a/", nil), ("#rss", "https://a/", nil),
            ("", "http://a/", nil),
        ] as [(String, String, String?)]) func `A web page names its feeds by absolute URLs`(
            link: String, base: String, url: String?
        )
    {
        let page = page(
            "<link rel='alternate' type='application/rss+xml' href='\(link)'>", at: base)

        #expect(page.feeds == [url].compactMap(\.self))
    }

    @Test(arguments: [
        "<html><head><!-- > %% --><title>A</title></head></html>",
        "<html><head><title>A</title></head><p>%%", "<title>A</title><body>%%</body>",
        "<meta charset=utf-8><p>No head at all%%", "<script>write('%%')</script><h1>A</h1>",
        "<TITLE>%%</TITLE>", "<template>%%</template>",
    ])
    func `A web page names no feed in a comment, a text or the body`(text: String) {
        let link = "<link rel=alternate type=application/rss+xml href=/feed>"
        #expect(page(text.replacing("%%", with: link)).feeds == [])
    }

    @Test func `A web page names the feeds after comments and scripts in its head`() {
        let page = page(
            """
            <html><head><meta charset='utf-8'/><!--><!-- <body> --><script>if (a < b) "</head>"</script>
            <noscript><link rel="stylesheet"></noscript><base href="/"/>
            <link rel=alternate type=application/rss+xml href=/feed></head></html>
            """)

        #expect(page.feeds == ["http://a/feed"])
    }

    @Test(arguments: [
        "", "<link", "<link rel", "<link =", "<link rel='alternate", "<<<", "<link / = / >",
    ])
    func `A web page that is cut or broken names no feed`(text: String) {
        #expect(page(text).feeds == [])
    }

    private func page(_ text: String, at url: String = "http://a/page/") -> WebPage {
        WebPage(Array(text.utf8), at: url)
    }
}
