//! A client of the language server: the real program, spoken to over its standard streams.

use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than this no answer takes, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Json>,
    /// Messages that were read while waiting for others.
    kept: VecDeque<Json>,
    next: i64,
}

impl Client {
    /// Starts the server with these folders and says hello.
    pub fn start(folders: &[&str]) -> Client {
        let mut child = Command::new(env!("CARGO_BIN_EXE_adc"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = child.stdout.take().expect("its output");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        let mut client = Client { child, input, messages, kept: VecDeque::new(), next: 1 };
        let folders: Vec<Json> = folders.iter().map(|f| json!({"uri": uri(f), "name": f})).collect();
        let params = json!({
            "processId": null, "rootUri": null, "workspaceFolders": folders,
            "capabilities": {"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}},
        });
        let hello = client.request("initialize", params);
        assert_eq!(hello["serverInfo"]["name"], "adc");
        client.notify("initialized", json!({}));
        client
    }

    fn send(&mut self, message: &Json) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("the server listens");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len())
            .and_then(|()| input.flush())
            .expect("it is sent");
    }

    pub fn notify(&mut self, method: &str, params: Json) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request without waiting for its answer.
    pub fn ask(&mut self, method: &str, params: Json) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request: its result or its error.
    pub fn answer(&mut self, id: i64) -> Result<Json, Json> {
        let message = self.wait(|m| m["id"] == id && m.get("method").is_none());
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    pub fn request(&mut self, method: &str, params: Json) -> Json {
        let id = self.ask(method, params);
        self.answer(id).unwrap_or_else(|e| panic!("{method}: {e}"))
    }

    pub fn refused(&mut self, method: &str, params: Json) -> String {
        let id = self.ask(method, params);
        let error = self.answer(id).expect_err("it is refused");
        error["message"].as_str().unwrap_or_default().to_string()
    }

    /// The next notification of a kind.
    pub fn notified(&mut self, method: &str) -> Json {
        self.wait(|m| m["method"] == method)["params"].clone()
    }

    /// The diagnostics of a version of a document.
    pub fn diagnostics(&mut self, path: &str, version: i64) -> Vec<Json> {
        let uri = uri(path);
        let about = |m: &Json| {
            let p = &m["params"];
            m["method"] == "textDocument/publishDiagnostics"
                && p["uri"] == uri.as_str()
                && p["version"] == version
        };
        self.wait(about)["params"]["diagnostics"].as_array().cloned().expect("a list")
    }

    fn wait(&mut self, wanted: impl Fn(&Json) -> bool) -> Json {
        if let Some(i) = self.kept.iter().position(&wanted) {
            return self.kept.remove(i).expect("it is there");
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if wanted(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    pub fn open(&mut self, path: &str, text: &str) {
        let document = json!({"uri": uri(path), "languageId": "adc", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Replaces the whole text.
    pub fn set(&mut self, path: &str, version: i64, text: &str) {
        self.change(path, version, json!([{"text": text}]));
    }

    pub fn change(&mut self, path: &str, version: i64, changes: Json) {
        let document = json!({"uri": uri(path), "version": version});
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Asks about the place of `needle` in `text`, plus so many characters.
    pub fn at(&mut self, method: &str, path: &str, text: &str, needle: &str, plus: usize) -> Json {
        let params = place(path, text, needle, plus);
        self.request(method, params)
    }

    /// Ends the server in the way of the protocol.
    pub fn end(mut self) {
        self.request("shutdown", Json::Null);
        self.notify("exit", Json::Null);
        self.input = None;
        let status = self.child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that fails leaves no server behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn uri(path: &str) -> String {
    format!("file://{path}")
}

/// The parameters of a request about a place.
pub fn place(path: &str, text: &str, needle: &str, plus: usize) -> Json {
    let at = text.find(needle).unwrap_or_else(|| panic!("`{needle}` is not in the text")) + plus;
    json!({"textDocument": {"uri": uri(path)}, "position": position(text, at)})
}

pub fn position(text: &str, at: usize) -> Json {
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    json!({"line": line, "character": text[start..at].encode_utf16().count()})
}

fn receive(output: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(n) = header.strip_prefix("Content-Length: ") {
                    length = n.parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
