use adc_frontend::*;
use adc_ir::testing::StdMath;
struct L;
impl Loader for L {
    fn load(&mut self, f: &str, p: &str) -> Result<(String, String), String> {
        let q = std::path::Path::new(f).parent().unwrap().join(p);
        let n = q.to_string_lossy().to_string();
        std::fs::read_to_string(&q).map(|t| (n, t)).map_err(|e| e.to_string())
    }
}
fn main() {
    for a in std::env::args().skip(1) {
        if a == "-p" {
            continue;
        }
        let text = std::fs::read_to_string(&a).unwrap();
        match compile(&a, &text, &mut L, &StdMath) {
            Ok(p) => {
                println!("{a}: ok");
                if std::env::args().any(|x| x == "-p") {
                    println!("{}", adc_ir::text::print_module(&p.module));
                }
            }
            Err(f) => {
                println!("{a}: FAILED");
                for d in &f.diagnostics.0 {
                    if d.severity != adc_ir::Severity::Error {
                        continue;
                    }
                    let s = d.span();
                    let t = &f.files[s.file.0 as usize].text;
                    let line = t[..s.start as usize].lines().count();
                    println!(
                        "   {} {} @{} `{}`",
                        d.code,
                        d.message,
                        line,
                        t[s.start as usize..s.end as usize].lines().next().unwrap_or("")
                    );
                }
            }
        }
    }
}
