//! HTML in, Markdown out.

use expect_test::{Expect, expect};
use url::Url;

use crate::page::{PageFormat, WebPage, read};

pub(super) fn page(html: &str, form: PageFormat) -> WebPage {
    read(html, &Url::parse("https://host.example/docs/page?x=1").unwrap(), form)
}

fn check(html: &str, expected: Expect) {
    expected.assert_eq(&(page(html, PageFormat::Markdown).text + "\n"));
}

#[test]
fn words_and_blocks() {
    check(
        "<h1>A <em>big</em>\n title</h1>intro\n  text<p>one<p>two<br>three<div>four<div>five</div></div><hr>six",
        expect![[r#"
            # A *big* title

            intro text

            one

            two
            three

            four

            five

            ---

            six
        "#]],
    );
    check(
        "a<b> bold </b>b <i></i><b>x<i>y</i></b><b><b>z</b>w</b> <del>no</del> 10<sup>6</sup> <span>s</span>pan",
        expect![[r#"
            a **bold** b **x*y*****zw** ~~no~~ 10^6 span
        "#]],
    );
    // Marks do not reach over blocks.
    check(
        "<b>one<p>two</b>three",
        expect![[r#"
            **one**

            **two**

            three
        "#]],
    );
}

#[test]
fn links_and_images_have_whole_addresses() {
    check(
        "<a href='../up'>up</a> <a href=//other.example/x>other</a> <a href='#here'>here</a> <a href='page?x=1#part'>part</a> <a href='?y=(2)'>query</a> \
         <a href='javascript:x()'>js</a> <a href='mailto:a@b.example'>mail</a> <a href=x></a><a href='a b'>space</a> \
         <img src=i.png alt='An  image'><img src=i.png><img alt=data src='data:image/png;base64,AAAA'>",
        expect![[r#"
            [up](https://host.example/up) [other](https://other.example/x) here part [query](https://host.example/docs/page?y=%282%29) js [mail](mailto:a@b.example) [space](https://host.example/docs/a%20b) ![An image](https://host.example/docs/i.png)data
        "#]],
    );
    check(
        "<base href='/root/'><base href='/no/'><a href=x><h2>Card</h2><p>with text</p></a>",
        expect![[r#"
            ## [Card](https://host.example/root/x)

            with text
        "#]],
    );
}

#[test]
fn lists_and_quotes() {
    check(
        "<p>List:<ul><li>one<li><p>two</p><p>more</p><ul><li>in<ol start=3><li>three<li>four</ol></ul><li>last</ul>after\
         <blockquote><p>said<p>again<blockquote>deep</blockquote></blockquote><ol><li><li>second</ol>\
         <dl><dt>term<dd>meaning<dt>other<dd>one<dd>two</dl>",
        expect![[r#"
            List:

            - one
            - two

              more

              - in
                3. three
                4. four
            - last

            after

            > said
            >
            > again
            >
            > > deep

            2. second

            term
            : meaning

            other
            : one
            : two
        "#]],
    );
}

#[test]
fn code_is_kept_as_it_is() {
    check(
        "<p>Use <code>a  `b`</code> and <kbd>Ctrl</kbd><pre class='lang-sh'>\n$ ls   -l\n\n  ``` &lt;x&gt;\n</pre>\
         <div class='highlight'><pre class='rust x'>let</pre><pre><code class='hljs language-python'><span>def</span> f():\n\tpass</code></pre></div>\
         <ul><li>item<pre>in item\nmore</pre></ul><pre><div>line 1</div><div>line 2</div></pre>",
        expect![[r#"
            Use `` a `b` `` and `Ctrl`

            ````sh
            $ ls   -l

              ``` <x>
            ````

            ```rust
            let
            ```

            ```python
            def f():
            	pass
            ```

            - item

              ```
              in item
              more
              ```

            ```
            line 1
            line 2
            ```
        "#]],
    );
}

#[test]
fn tables_of_data_stay_tables_and_those_of_layout_do_not() {
    check(
        "<table><caption>Sizes</caption><thead><tr><th>Name<th>Size</thead><tbody><tr><td>a|b<td><b>1</b> kB\
         <tr><td colspan=2>both<tr><td>x<br>y<td><ul><li>p<li>q</ul><tr><td>1.<td># x</table>\
         <table><tr><td><table><tr><td>inner 1<td>inner 2</table><td><p>A page<p>of text</table>after",
        expect![[r#"
            Sizes

            | Name | Size |
            | --- | --- |
            | a\|b | **1** kB |
            | both |  |
            | x<br>y | - p<br>- q |
            | 1. | # x |

            inner 1 inner 2

            A page

            of text

            after
        "#]],
    );
}

#[test]
fn what_is_no_text_is_left_out() {
    check(
        "<head><title>T</title><style>p{}</style></head><body><nav>Menu<ul><li>a</ul></nav><div role=navigation>n</div>\
         <header>Site</header><script>if (a<b) '</div>'</script><noscript><p>Turn on</noscript><p hidden>h</p>\
         <p style='color:red; DISPLAY : none'>d</p><p aria-hidden=true>a</p><svg><title>S</title><text>v</text></svg>\
         <form><input value=v><button>Go</button><select><option>o</select><textarea>t</textarea>label</form>\
         <h2>Head<a class=headerlink href='#h'>¶</a></h2><!-- c --><p>text<template>x</template><aside>ad</aside>\
         <math alttext='a^2'><mi>a</mi></math></p><footer>foot</footer>",
        expect![[r#"
            Site

            label

            ## Head

            text

            $a^2$
        "#]],
    );
    let long = "many words ".repeat(60);
    let html = format!(
        "<title>\n Two\twords </title><div>before</div><main><aside>note</aside>{long}</main><div>after</div>"
    );
    let WebPage { title, text, .. } = page(&html, PageFormat::Markdown);
    assert_eq!(title.as_deref(), Some("Two words"));
    assert_eq!(text, format!("note\n\n{}", long.trim_end()));
    let html = format!("<nav>{long}</nav><main><p>Short.</main>");
    assert_eq!(page(&html, PageFormat::Markdown).text, "Short.");
    // A page that is nothing but what would be noise elsewhere is read all the same.
    let hidden = page("<title>\u{202e}a\u{1b}[2Jb\u{2066}</title>", PageFormat::Text).title;
    assert_eq!(hidden.as_deref(), Some("a[2Jb"));
    let html = format!("<nav><h1>Index</h1>{}</nav>", "<a href=/a>entry</a> ".repeat(100));
    assert!(
        page(&html, PageFormat::Markdown)
            .text
            .starts_with("# Index\n\n[entry](https://host.example/a) [entry]")
    );
}

#[test]
fn words_that_look_like_marks_are_words() {
    check(
        "<p># no heading<p>1. no list<p>- no item<p>&gt; no quote<p>--- <p>1.5 is a number<p>#tag<p>-x<p>a &amp;lt; b &eacute; &#x1b;[31m so&shy;ft &#x200b; x",
        expect![[r#"
            \# no heading

            \1. no list

            \- no item

            \> no quote

            \---

            1.5 is a number

            #tag

            -x

            a &lt; b é [31m soft x
        "#]],
    );
}

#[test]
fn plain_text_has_no_marks() {
    let html = "<h2>Head</h2><p>a <b>bold</b> <a href=/x>link</a> <code>code</code><ul><li>item</ul><blockquote>said</blockquote>\
        <pre>x = 1\n</pre><table><tr><th>a<th>b<tr><td>1<td>2</table><hr><img alt=image src=/i>";
    expect![[r#"
        Head

        a bold link code

        - item

          said

        x = 1

        a | b
        1 | 2

        image"#]]
    .assert_eq(&page(html, PageFormat::Text).text);
}

#[test]
fn pages_that_are_not_well_formed_are_read() {
    check(
        "</p></div>a</b><p>b</span><ul><li>c</p></ul></ul><td>d</td><tr>e<table>lost<tr><td>f</table><code>g<p>h<nav>i<div>j",
        expect![[r#"
            a

            b

            - c

            d
            elost

            f

            `g`

            h
        "#]],
    );
    for html in [
        "",
        " ",
        "<",
        "<a",
        "<a href",
        "<a href=",
        "</",
        "<!",
        "<!--",
        "&",
        "&#",
        "<table><td>",
        "<pre>",
        "<title>",
        "\0",
        "<p\0a>b",
    ] {
        let _ = (page(html, PageFormat::Markdown), page(html, PageFormat::Text));
    }
}
