//! Pages, texts, images and errors as a model is told of them.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::super::fixture::{ToolFixture, fixture_with_web};
use super::server::{Answer, Names, Server, answer};
use crate::denial::PermissionDenial;
use crate::web::{PrivateHosts, WebAccess};

/// May fetch from this machine.
pub(super) fn open() -> ToolFixture {
    fixture_with_web(
        &[],
        WebAccess { private: PrivateHosts::All, resolver: Names::new(&[]), ..WebAccess::default() },
        |_| Ok(()),
    )
}

/// Fetches and tells, with the port of the server left out.
async fn check(fixture: &ToolFixture, server: &Server, arguments: Value, expected: Expect) {
    let told = fixture.tell("webfetch", arguments).await;
    expected.assert_eq(&told.replace(&server.port.to_string(), "PORT"));
}

const PAGE: &str = "<!doctype html><title> A  page </title><script>evil()</script><nav><a href=/>Home</a></nav>\
    <main><h1>Head</h1><p>Some <b>bold</b> text and a <a href='../x?a=1'>link</a>.</p>\
    <pre><code class='language-rust'>fn main() {}\n</code></pre></main><footer>(c)</footer>";

#[tokio::test]
async fn a_page_is_given_in_the_form_that_is_asked_for() {
    let (fixture, server) = (open(), Server::start().await);
    server.page("/a/b", "text/html; charset=utf-8", PAGE);
    let url = server.url("/a/b");
    let markdown = expect![[r#"
        ? webfetch: http://127.0.0.1:PORT/a/b (always: http://127.0.0.1:PORT/*)
        (http://127.0.0.1:PORT/a/b: “A page”, 259 bytes.)

        # Head

        Some **bold** text and a [link](http://127.0.0.1:PORT/x?a=1).

        ```rust
        fn main() {}
        ```
    "#]];
    check(&fixture, &server, json!({ "url": url }), markdown).await;
    let text = expect![[r#"
        ? webfetch: http://127.0.0.1:PORT/a/b (always: http://127.0.0.1:PORT/*)
        (http://127.0.0.1:PORT/a/b: “A page”, 259 bytes.)

        Head

        Some bold text and a link.

        fn main() {}
    "#]];
    check(&fixture, &server, json!({ "url": url, "format": "text" }), text).await;
    let html = fixture.call("webfetch", json!({ "url": url, "format": "html", "timeout": 5 })).await;
    assert!(html.output.contains("<script>evil()</script>"), "{}", html.output);
    assert_eq!(html.title, "A page (127.0.0.1)");
    let expected =
        json!({ "url": url, "title": "A page", "type": "text/html", "bytes": PAGE.len(), "status": 200 });
    assert_eq!(html.metadata.to_value(), expected);
    let head = &server.requests()[0].head;
    assert!(head.contains("accept-encoding: gzip") && head.contains("copydesk/"), "{head}");
    assert!(!head.contains("cookie") && !head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn texts_come_as_they_are() {
    let (fixture, server) = (open(), Server::start().await);
    for (mime, body) in [
        ("text/plain", "a <b> & c"),
        ("application/json; charset=utf-8", "{\"a\": [1,  2]}"),
        ("application/vnd.api+json", "{}"),
        ("image/svg+xml", "<svg/>"),
        ("application/octet-stream", "fn main() {}"),
        ("text/markdown", "# T"),
    ] {
        server.page("/t", mime, body);
        let outcome = fixture.call("webfetch", json!({ "url": server.url("/t") })).await;
        assert!(
            outcome.error_kind.is_none() && outcome.output.ends_with(&format!(")\n\n{body}")),
            "{mime}: {outcome:?}"
        );
        assert_eq!(outcome.title, "127.0.0.1");
    }
}

#[tokio::test]
async fn bytes_become_text_by_what_is_said_of_them() {
    let (fixture, server) = (open(), Server::start().await);
    let cases: [(&str, &[u8]); 5] = [
        ("text/html; charset=ISO-8859-1", b"<p>caf\xe9"),
        ("text/html", b"<meta charset=windows-1252><p>caf\xe9"),
        ("text/html; charset=ascii", b"\xef\xbb\xbf<p>caf\xc3\xa9"),
        ("text/html", b"\xff\xfe<\0p\0>\0c\0a\0f\0\xe9\0"),
        ("", b"<!DOCTYPE html><p>caf\xc3\xa9"),
    ];
    for (mime, body) in cases {
        server.page("/c", mime, body);
        let outcome = fixture.call("webfetch", json!({ "url": server.url("/c") })).await;
        assert!(outcome.output.ends_with("\n\ncafé"), "{mime}: {outcome:?}");
    }
}

#[tokio::test]
async fn images_and_pdfs_are_shown() {
    let (fixture, server) = (open(), Server::start().await);
    let cases: [(&str, &[u8], &str); 5] = [
        ("image/png", b"\x89PNG\r\n\x1a\nrest", "image/png"),
        ("image/jpeg", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("image/gif", b"GIF89arest", "image/gif"),
        ("application/octet-stream", b"RIFF0000WEBPrest", "image/webp"),
        ("text/html", b"%PDF-1.7 rest", "application/pdf"),
    ];
    for (said, body, mime) in cases {
        server.page("/dir/a.bin", said, body);
        let outcome = fixture.call("webfetch", json!({ "url": server.url("/dir/a.bin") })).await;
        let media = outcome.media.first().unwrap_or_else(|| panic!("{outcome:?}"));
        assert_eq!((media.mime.as_str(), media.name.as_deref()), (mime, Some("a.bin")), "{outcome:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_shown_is_told() {
    let (fixture, server) = (open(), Server::start().await);
    server.page("/zip", "application/zip", b"PK\x03\x04\x00\x00");
    server.page("/lie", "image/png", b"\x00\x01\x02 not an image");
    server.page("/video", "video/mp4", b"....ftyp");
    server.page("/empty", "text/html", b"");
    server.page("/blank", "text/html", "<title>App</title><div id=root></div><script src=app.js></script>");
    let expected = [
        (
            "/zip",
            expect![[r#"
            ? webfetch: http://127.0.0.1:PORT/zip (always: http://127.0.0.1:PORT/*)
            ! Target
            http://127.0.0.1:PORT/zip is nothing that can be shown: application/zip, 6 bytes. Text, HTML, JSON, images (PNG, JPEG, GIF, WebP) and PDFs can be; load anything else with a command.
        "#]],
        ),
        (
            "/lie",
            expect![[r#"
            ? webfetch: http://127.0.0.1:PORT/lie (always: http://127.0.0.1:PORT/*)
            ! Target
            http://127.0.0.1:PORT/lie is nothing that can be shown: image/png, 16 bytes. Text, HTML, JSON, images (PNG, JPEG, GIF, WebP) and PDFs can be; load anything else with a command.
        "#]],
        ),
        (
            "/video",
            expect![[r#"
            ? webfetch: http://127.0.0.1:PORT/video (always: http://127.0.0.1:PORT/*)
            ! Target
            http://127.0.0.1:PORT/video is nothing that can be shown: video/mp4, 8 bytes. Text, HTML, JSON, images (PNG, JPEG, GIF, WebP) and PDFs can be; load anything else with a command.
        "#]],
        ),
        (
            "/empty",
            expect![[r#"
            ? webfetch: http://127.0.0.1:PORT/empty (always: http://127.0.0.1:PORT/*)
            http://127.0.0.1:PORT/empty is empty.
        "#]],
        ),
        (
            "/blank",
            expect![[r#"
            ? webfetch: http://127.0.0.1:PORT/blank (always: http://127.0.0.1:PORT/*)
            (http://127.0.0.1:PORT/blank: “App”, 65 bytes. It has no text; it may be one that scripts fill in a browser.)
        "#]],
        ),
    ];
    for (path, told) in expected {
        check(&fixture, &server, json!({ "url": server.url(path) }), told).await;
    }
}

#[tokio::test]
async fn errors_are_told_with_their_status_and_words() {
    let (fixture, server) = (open(), Server::start().await);
    let body = "<title>Oops</title><h1>Not here</h1><p>Try   the <a href=/search>search</a>.";
    let gone = answer("410 Gone", &[("content-type", "text/html")], body.as_bytes());
    server.at("/gone", Answer::Bytes(gone));
    let expected = expect![[r#"
        ? webfetch: http://127.0.0.1:PORT/gone (always: http://127.0.0.1:PORT/*)
        ! Failed
        http://127.0.0.1:PORT/gone answered 410 Gone. It says: Not here Try the search.
    "#]];
    check(&fixture, &server, json!({ "url": server.url("/gone") }), expected).await;
    let outcome = fixture.call("webfetch", json!({ "url": server.url("/gone") })).await;
    assert_eq!(outcome.metadata.to_value()["status"], 410);
    let long = answer("500 Oops", &[("content-type", "text/plain")], "word ".repeat(100_000).as_bytes());
    server.at("/long", Answer::Bytes(long));
    let outcome = fixture.call("webfetch", json!({ "url": server.url("/long") })).await;
    assert!(outcome.output.len() < 700 && outcome.output.ends_with('…'), "{}", outcome.output);
}

#[tokio::test]
async fn redirects_are_followed_and_another_host_is_asked_for() {
    let (fixture, server) = (open(), Server::start().await);
    server.page("/end", "text/plain", "here");
    server.redirect("/same", "end");
    server.redirect("/other", &format!("http://other.test:{}/same", server.port));
    let expected = expect![[r#"
        ? webfetch: http://127.0.0.1:PORT/other (always: http://127.0.0.1:PORT/*)
        ? webfetch: http://other.test:PORT/same (always: http://other.test:PORT/*)
        ? webfetch: http://other.test:PORT/end (always: http://other.test:PORT/*)
        (http://other.test:PORT/end: 4 bytes. http://127.0.0.1:PORT/other redirected to it.)

        here
    "#]];
    check(&fixture, &server, json!({ "url": server.url("/other") }), expected).await;

    let web = WebAccess { private: PrivateHosts::All, resolver: Names::new(&[]), ..WebAccess::default() };
    let says = |ask: &crate::PermissionRequest| match ask.patterns[0].contains("other.test") {
        true => Err(PermissionDenial::ByUser { reason: Some("not there".into()) }),
        false => Ok(()),
    };
    let fixture = fixture_with_web(&[], web, says);
    let before = server.requests().len();
    let outcome = fixture.call("webfetch", json!({ "url": server.url("/other") })).await;
    assert_eq!(outcome.output, "The user said no: not there");
    assert_eq!(server.requests().len(), before + 1, "nothing was sent to the other host");
}

#[tokio::test]
async fn a_host_has_one_name_in_rules() {
    let (fixture, server) = (open(), Server::start().await);
    server.page("/end", "text/plain", "here");
    server.redirect("/", &format!("http://OTHER.test.:{}/end", server.port));
    let expected = expect![[r#"
        ? webfetch: http://some_one.test:PORT/ (always: http://some_one.test:PORT/*)
        ? webfetch: http://other.test:PORT/end (always: http://other.test:PORT/*)
        (http://other.test:PORT/end: 4 bytes. http://some_one.test:PORT/ redirected to it.)

        here
    "#]];
    let url = format!("http://some_one.test.:{}/", server.port);
    check(&fixture, &server, json!({ "url": url }), expected).await;
}

#[tokio::test]
async fn nothing_is_sent_before_the_user_says_yes() {
    let server = Server::start().await;
    let web = WebAccess { private: PrivateHosts::All, ..WebAccess::default() };
    let fixture = fixture_with_web(&[], web, |_| Err(PermissionDenial::ByUser { reason: None }));
    let outcome = fixture.call("webfetch", json!({ "url": server.url("/") })).await;
    assert!(outcome.error_kind.is_some() && server.requests().is_empty());
}

#[tokio::test]
async fn arguments_that_cannot_be_are_told() {
    let fixture = open();
    let urls = [
        "",
        "example.com",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
        "http://a b/",
        "https://me:secret@example.com/",
        "https://me@example.com/",
        "http://[::1",
        "http://exa\0mple.com/",
        "https://*/",
        "https://*.example.com/",
        "https://exam%2aple.com/",
        "https://a,b/",
        "https://a..b/",
        "https://./",
    ];
    for url in urls {
        let outcome = fixture.call("webfetch", json!({ "url": url })).await;
        assert_eq!(outcome.error_kind, Some(crate::ToolErrorKind::Arguments), "{url}: {outcome:?}");
        assert!(!outcome.output.contains("secret"), "{}", outcome.output);
    }
    for arguments in [
        json!({}),
        json!({ "url": 7 }),
        json!({ "url": "https://a/", "format": "pdf" }),
        json!({ "url": "x".repeat(1_000_000) }),
    ] {
        let outcome = fixture.call("webfetch", arguments).await;
        assert_eq!(outcome.error_kind, Some(crate::ToolErrorKind::Arguments), "{outcome:?}");
    }
    assert!(fixture.asked().is_empty());
}
