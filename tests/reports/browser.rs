//! A page in headless Chromium: where things are, and what they look like.

use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reports what is on the page as JSON in an element of its own.
const LOOK: &str = r#"<script>
const box = e => { const r = e.getBoundingClientRect(); return {x: r.x, y: r.y, w: r.width, h: r.height}; };
const all = (s, root = document) => [...root.querySelectorAll(s)];
const seen = e => ({...box(e), text: e.textContent, fill: e.getAttribute("fill"), colour: getComputedStyle(e).color});
const out = {
  width: document.documentElement.scrollWidth, window: innerWidth,
  loaded: performance.getEntriesByType("resource").length,
  parts: Object.fromEntries(["h1", ".message", ".again", "table.entries", "tr.bad", ".badge"].map(s => [s, all(s).map(seen)])),
  steps: all(".steps").map(f => ({svg: box(f.querySelector("svg")), texts: all("svg text", f).map(seen), said: f.textContent,
    legend: all(".line", f).map(e => getComputedStyle(e).backgroundColor)})),
  heat: all(".heat svg").map(s => ({svg: box(s), texts: all("text", s).map(seen), cells: all("rect", s).map(seen)})),
};
const pre = document.createElement("pre");
pre.id = "seen"; pre.textContent = JSON.stringify(out); document.body.append(pre);
</script>"#;

/// What a page looks like in a window of some width.
pub struct Seen {
    /// What [`LOOK`] found.
    pub parts: Value,
    width: usize,
    pixels: Vec<u8>,
}

impl Seen {
    /// The colour of a pixel.
    pub fn pixel(&self, x: f64, y: f64) -> [u8; 3] {
        let at = 3 * (y as usize * self.width + x as usize);
        self.pixels[at..at + 3].try_into().expect("three bytes")
    }

    /// Pixels of a colour inside a box.
    pub fn count(&self, of: &Value, colour: [u8; 3]) -> usize {
        let side = |name: &str| of[name].as_f64().expect("a number");
        let (x, y, w, h) = (side("x") as usize, side("y") as usize, side("w") as usize, side("h") as usize);
        let all = (y..y + h).flat_map(|j| (x..x + w).map(move |i| (i, j)));
        all.filter(|(i, j)| self.pixel(*i as f64, *j as f64) == colour).count()
    }
}

/// The browser: `ADC_CHROMIUM`, or the first of the usual names on the path. `None` on a machine without one, except where
/// tests have to be complete (`CI`).
pub fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = std::env::split_paths(&path).flat_map(|dir| names.map(|n| dir.join(n))).find(|p| p.is_file());
    let browser = std::env::var_os("ADC_CHROMIUM").map(PathBuf::from).or(found);
    assert!(browser.is_some() || std::env::var_os("CI").is_none(), "no Chromium to look at the page with");
    if browser.is_none() {
        println!("no Chromium on this machine: the page is not looked at");
    }
    browser
}

/// Opens a page in a window of `width` pixels, tall enough for all of it.
pub fn look(browser: &Path, page: &Path, width: usize) -> Seen {
    let dir = page.parent().expect("a page is in a directory");
    let text = std::fs::read_to_string(page).expect("the page");
    // The page itself lets nothing run.
    let policy = "default-src 'none'; style-src 'unsafe-inline'";
    assert!(text.contains(policy) && !text.contains("<script") && !text.contains("src="), "{text}");
    let probed = dir.join("probed.html");
    std::fs::write(&probed, text.replace(policy, "") + LOOK).expect("a copy of the page");
    let (dom, shot) = (run(browser, dir, width, &["--dump-dom".into()], &probed), dir.join("shot.png"));
    let (_, found) = dom.split_once("<pre id=\"seen\">").expect("the page was looked at");
    let found = found.split_once("</pre>").expect("the end").0;
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let parts: Value = serde_json::from_str(&found).unwrap_or_else(|e| panic!("{e} in {found}"));
    run(browser, dir, width, &[format!("--screenshot={}", shot.display())], page);
    let mut reader = png::Decoder::new(std::io::BufReader::new(File::open(&shot).expect("the picture")))
        .read_info()
        .expect("a picture");
    let mut data = vec![0; reader.output_buffer_size().expect("its size")];
    let info = reader.next_frame(&mut data).expect("its pixels");
    let bytes = info.color_type.samples();
    let pixels = data[..info.buffer_size()].chunks(bytes).flat_map(|p| [p[0], p[1], p[2]]).collect();
    Seen { parts, width: info.width as usize, pixels }
}

fn run(browser: &Path, dir: &Path, width: usize, args: &[String], page: &Path) -> String {
    let profile = dir.join("profile");
    let out = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},6000"))
        .args(args)
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("the browser runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("UTF-8")
}
