//! CPU cost of converting a page of 5 MB, the most that is fetched, to Markdown.

use std::time::Duration;

use copydesk_tool::page::{PageFormat, read};
use url::Url;

use super::clock::CpuClock;
use super::table::BenchmarkTable;

const SIZE: usize = 5 * 1024 * 1024;
const RUNS: usize = 11;
const BUDGET: Duration = Duration::from_millis(300);

/// A section of a documentation page, with every construct that such pages use.
const SECTION: &str = r##"<section id="new" class="method"><h3 class="code-header"><a class="anchor" href="#new">#</a>Making one of them</h3>
<div class="docblock"><p>Makes an <em>empty</em> one with room for as many as <a href="../struct.Room.html" title="struct">said</a>, and <code>hasher</code> for
the keys. It is not made smaller than this &amp; may be larger.</p>
<div class="example"><pre class="rust"><code><span class="kw">use </span>house::Room;
<span class="kw">let </span><span class="kw-2">mut </span>room = Room::with_places(<span class="number">10</span>);
room.take(<span class="number">1</span>, <span class="string">"first"</span>);</code></pre></div>
<ul class="list"><li><p>The first of several remarks</p></li><li><p>The second, <strong>and last</strong></p></li></ul>
<table class="table"><thead><tr><th scope="col">Name</th><th scope="col">Value</th></tr></thead>
<tbody><tr><td>one</td><td><a href="/one">1</a></td></tr><tr><td>two</td><td>2</td></tr></tbody></table>
<script type="text/javascript">window.ready = function () { return "<div>" + 1 + "</div>"; };</script></div></section>
"##;

pub(crate) fn measure(table: &mut BenchmarkTable) {
    let address = Url::parse("https://host.example/docs/room/index.html").unwrap();
    // A typical page, and the worst case for tags.
    for (name, piece) in
        [("documentation", SECTION), ("nothing but cells", "<table><td>x"), ("nothing but items", "<li>x")]
    {
        let name = format!("page of 5 MB to Markdown, {name}");
        if !table.includes_row(&name) {
            continue;
        }
        let html = piece.repeat(SIZE / piece.len());
        let mut size = 0;
        let samples = (0..RUNS).map(|_| {
            let clock = CpuClock::start();
            size = read(&html, &address, PageFormat::Markdown).text.len();
            clock.elapsed()
        });
        let samples = samples.collect();
        table.row(&name, samples, Some(BUDGET), format!("{} kB", size / 1000));
    }
}
