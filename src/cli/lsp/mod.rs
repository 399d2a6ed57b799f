//! `adc lsp`: a language server on standard input and output.
//!
//! One thread reads messages in order and answers from [`world`]; analyses are made when they are first needed after a change.
//! Checks run on threads of their own. A request that panics is answered with an error, and the server goes on.

mod commands;
mod complete;
mod diagnostics;
mod hover;
mod navigate;
mod text;
mod view;
mod world;

use adc_jit::Cancel;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    Position, Range, Uri,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use text::Text;
use world::{Document, Known, World, name};

/// Why a request was not answered with a result.
struct Refusal(ErrorCode, String);

type Answer = Result<Json, Refusal>;

/// Serves one client until it says `exit`; whether it had said `shutdown` before.
///
/// # Errors
/// A client that does not keep to the protocol, or is gone.
pub(super) fn serve(connection: &Connection) -> Result<bool, lsp_server::ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    connection.initialize_finish(
        id,
        json!({"capabilities": capabilities(), "serverInfo": {"name": "adc", "version": env!("CARGO_PKG_VERSION")}}),
    )?;
    let mut server = Server::new(connection, &params);
    server.run();
    server.end();
    Ok(server.shut_down)
}

fn capabilities() -> Json {
    json!({
        "positionEncoding": "utf-16",
        "textDocumentSync": {"openClose": true, "change": 2},
        "hoverProvider": true,
        "completionProvider": {"triggerCharacters": ["~", "[", "\"", ":", ">"]},
        "signatureHelpProvider": {"triggerCharacters": ["(", ",", ";"]},
        "definitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll"]},
        "codeLensProvider": {},
        "documentFormattingProvider": true,
        "renameProvider": {"prepareProvider": true},
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": view::TOKENS, "tokenModifiers": view::MODIFIERS},
            "full": true,
        },
        "executeCommandProvider": {"commands": [commands::CHECK, commands::DERIVATIVE]},
        "workspace": {"workspaceFolders": {"supported": true, "changeNotifications": true}},
    })
}

/// What checks found of each document, until its text changes.
type Findings = Arc<Mutex<BTreeMap<String, Vec<lsp_types::Diagnostic>>>>;

struct Server<'c> {
    connection: &'c Connection,
    world: World,
    snippets: bool,
    /// Messages that were received and not yet looked at.
    queue: VecDeque<Message>,
    /// Whether diagnostics have to be told again.
    stale: bool,
    shut_down: bool,
    findings: Findings,
    running: Vec<(RequestId, Cancel, JoinHandle<()>)>,
}

/// A place in a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct At {
    text_document: Identifier,
    position: Position,
}

#[derive(Deserialize)]
struct Identifier {
    uri: Uri,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct In {
    text_document: Identifier,
    range: Option<Range>,
}

impl<'c> Server<'c> {
    fn new(connection: &'c Connection, params: &InitializeParams) -> Server<'c> {
        let text = params.capabilities.text_document.as_ref();
        let item = text.and_then(|t| t.completion.as_ref()?.completion_item.as_ref());
        let folders = params.workspace_folders.iter().flatten().map(|f| name(&f.uri).into());
        let world = World { folders: folders.collect(), ..World::default() };
        Server {
            connection,
            world,
            snippets: item.and_then(|i| i.snippet_support).unwrap_or(false),
            queue: VecDeque::new(),
            stale: false,
            shut_down: false,
            findings: Findings::default(),
            running: Vec::new(),
        }
    }

    fn run(&mut self) {
        loop {
            while let Ok(message) = self.connection.receiver.try_recv() {
                self.received(message);
            }
            let message = match self.queue.pop_front() {
                Some(message) => message,
                None => {
                    if std::mem::take(&mut self.stale) {
                        self.publish();
                    }
                    match self.connection.receiver.recv() {
                        Ok(message) => {
                            self.received(message);
                            continue;
                        }
                        Err(_) => return,
                    }
                }
            };
            match message {
                Message::Request(request) if request.method == "shutdown" => {
                    self.shut_down = true;
                    self.answer(request.id, Ok(Json::Null));
                }
                Message::Request(request) if self.shut_down => {
                    let over = Refusal(ErrorCode::InvalidRequest, "the server was shut down".into());
                    self.answer(request.id, Err(over));
                }
                Message::Request(request) => self.request(request),
                Message::Notification(n) if n.method == "exit" => return,
                Message::Notification(n) => self.notification(n),
                Message::Response(_) => {}
            }
        }
    }

    /// Takes a message in; what it cancels is answered at once.
    fn received(&mut self, message: Message) {
        let cancelled = match &message {
            Message::Notification(n) if n.method == "$/cancelRequest" => n.params["id"].clone(),
            _ => return self.queue.push_back(message),
        };
        let id: RequestId = match serde_json::from_value(cancelled) {
            Ok(id) => id,
            Err(_) => return,
        };
        let waits = |m: &Message| matches!(m, Message::Request(r) if r.id == id);
        if let Some(at) = self.queue.iter().position(waits) {
            self.queue.remove(at);
            self.answer(id, Err(Refusal(ErrorCode::RequestCanceled, "cancelled".into())));
        } else if let Some((_, cancel, _)) = self.running.iter().find(|(running, ..)| *running == id) {
            cancel.cancel();
        }
    }

    fn send(&self, message: Message) {
        // A client that is gone needs no answer; the end of its messages ends the server.
        let _ = self.connection.sender.send(message);
    }

    fn answer(&self, id: RequestId, answer: Answer) {
        self.send(Message::Response(response(id, answer)));
    }

    fn notification(&mut self, n: Notification) {
        let handled = catch_unwind(AssertUnwindSafe(|| self.notified(n)));
        if handled.is_err() {
            self.stale = true;
        }
    }

    fn notified(&mut self, n: Notification) {
        match n.method.as_str() {
            "textDocument/didOpen" => {
                let Some(p) = read::<DidOpenTextDocumentParams>(n.params) else { return };
                let (uri, version, text) =
                    (p.text_document.uri, p.text_document.version, p.text_document.text);
                self.world.documents.insert(name(&uri), Document { uri, version, text: Text::new(text) });
                self.changed(None);
            }
            "textDocument/didChange" => {
                let Some(p) = read::<DidChangeTextDocumentParams>(n.params) else { return };
                let name = name(&p.text_document.uri);
                let Some(document) = self.world.documents.get_mut(&name) else { return };
                document.version = p.text_document.version;
                p.content_changes.into_iter().for_each(|c| document.text.change(c));
                self.changed(Some(&name));
            }
            "textDocument/didClose" => {
                let Some(p) = read::<DidCloseTextDocumentParams>(n.params) else { return };
                let name = name(&p.text_document.uri);
                if let Some(document) = self.world.documents.remove(&name) {
                    self.tell(&document.uri, None, Vec::new());
                }
                self.changed(Some(&name));
            }
            "workspace/didChangeWorkspaceFolders" => {
                let added = n.params["event"]["added"].as_array().cloned().unwrap_or_default();
                let folder = |f: Json| read::<Identifier>(f).map(|f| name(&f.uri).into());
                self.world.folders.extend(added.into_iter().filter_map(folder));
            }
            // Used files may have changed.
            "workspace/didChangeWatchedFiles" | "textDocument/didSave" => self.changed(None),
            _ => {}
        }
    }

    fn changed(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.findings.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        }
        self.world.changed();
        self.stale = true;
    }

    /// Tells what is wrong with every open document.
    fn publish(&self) {
        for (name, document) in &self.world.documents {
            let found = catch_unwind(AssertUnwindSafe(|| {
                self.world.program(name).map_or(Vec::new(), |known| diagnostics::of(&known))
            }));
            let mut all = found.unwrap_or_default();
            let findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(findings.get(name).into_iter().flatten().cloned());
            drop(findings);
            self.tell(&document.uri, Some(document.version), all);
        }
    }

    fn tell(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        self.send(Message::Notification(published(uri, version, &diagnostics)));
    }

    fn request(&mut self, request: Request) {
        if request.method == "workspace/executeCommand" && request.params["command"] == commands::CHECK {
            return self.start_check(request);
        }
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.respond(&method, params)));
        let bug = |_| Err(Refusal(ErrorCode::InternalError, format!("a bug in adc: {method} panicked")));
        self.answer(id, answer.unwrap_or_else(bug));
    }

    fn respond(&mut self, method: &str, params: Json) -> Answer {
        let options = |list: Vec<Json>| Ok(Json::Array(list));
        match method {
            "textDocument/hover" => {
                let (known, at) = self.at(params)?;
                Ok(hover::hover(&known, at as u32).unwrap_or_default())
            }
            "textDocument/completion" => {
                let (known, at) = self.at(params)?;
                options(complete::items(&known, at, self.snippets))
            }
            "textDocument/signatureHelp" => {
                let (known, at) = self.at(params)?;
                Ok(complete::signature_help(&known, at).unwrap_or_default())
            }
            "textDocument/definition" => {
                let (known, at) = self.at(params)?;
                Ok(navigate::definition(&known, at as u32).map_or(Json::Null, |l| json!(l)))
            }
            "textDocument/references" => {
                let itself = params["context"]["includeDeclaration"].as_bool().unwrap_or(false);
                let (known, at) = self.at(params)?;
                Ok(json!(navigate::references(&self.world, &known, at as u32, itself)))
            }
            "textDocument/documentHighlight" => {
                let (known, at) = self.at(params)?;
                options(navigate::highlights(&known, at as u32))
            }
            "textDocument/prepareRename" => {
                let (known, at) = self.at(params)?;
                Ok(navigate::prepare_rename(&known, at as u32).unwrap_or_default())
            }
            "textDocument/rename" => {
                let new = params["newName"].as_str().unwrap_or_default().to_string();
                let (known, at) = self.at(params)?;
                let refuse = |why| Refusal(ErrorCode::RequestFailed, why);
                navigate::rename(&self.world, &known, at as u32, &new).map_err(refuse)
            }
            "textDocument/documentSymbol" => options(view::outline(&self.document(params)?.0)),
            "textDocument/foldingRange" => options(view::folds(&self.document(params)?.0)),
            "textDocument/codeLens" => {
                let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_string();
                options(view::lenses(&self.document(params)?.0, &uri))
            }
            "textDocument/inlayHint" => {
                let (known, range) = self.document(params)?;
                options(view::hints(&known, range))
            }
            "textDocument/semanticTokens/full" => {
                Ok(json!({"data": view::tokens(&self.document(params)?.0)}))
            }
            "textDocument/codeAction" => {
                let (known, range) = self.document(params)?;
                options(diagnostics::fixes(&known, range))
            }
            "textDocument/formatting" => Ok(formatting(&self.document(params)?.0)),
            "workspace/executeCommand" => self.derivative(&params),
            _ => Err(Refusal(ErrorCode::MethodNotFound, format!("`{method}` is not supported"))),
        }
    }

    /// The program and the byte of a request.
    fn at(&self, params: Json) -> Result<(std::rc::Rc<Known>, usize), Refusal> {
        let p: At = read(params).ok_or_else(invalid)?;
        let known = self.program(&p.text_document.uri)?;
        let at = known.texts.first().map_or(0, |t| t.offset(p.position));
        Ok((known, at))
    }

    /// The program and the range of a request; without one the whole text.
    fn document(&self, params: Json) -> Result<(std::rc::Rc<Known>, Range), Refusal> {
        let p: In = read(params).ok_or_else(invalid)?;
        let known = self.program(&p.text_document.uri)?;
        let range = p.range.or_else(|| Some(known.texts.first()?.whole()));
        Ok((known, range.unwrap_or_default()))
    }

    fn program(&self, uri: &Uri) -> Result<std::rc::Rc<Known>, Refusal> {
        let closed = || Refusal(ErrorCode::InvalidParams, format!("`{}` is not open", uri.as_str()));
        self.world.program(&navigate::document(uri)).ok_or_else(closed)
    }

    fn derivative(&self, params: &Json) -> Answer {
        let [uri, function, form] = [0, 1, 2].map(|k| params["arguments"][k].as_str());
        if params["command"] != commands::DERIVATIVE {
            return Err(Refusal(
                ErrorCode::InvalidParams,
                format!("there is no command {}", params["command"]),
            ));
        }
        let uri: Uri = uri.and_then(|u| u.parse().ok()).ok_or_else(invalid)?;
        let known = self.program(&uri)?;
        let failed = |why| Refusal(ErrorCode::RequestFailed, why);
        commands::derivative(&known, function.unwrap_or_default(), form).map_err(failed)
    }

    /// Starts a check on a thread of its own, which answers.
    fn start_check(&mut self, request: Request) {
        let arguments = &request.params["arguments"];
        let uri: Option<Uri> = arguments[0].as_str().and_then(|u| u.parse().ok());
        let function = arguments[1].as_str().map(String::from);
        let document = uri.as_ref().and_then(|u| self.world.documents.get_key_value(&navigate::document(u)));
        let (Some((name, document)), Some(uri)) = (document, uri.clone()) else {
            return self.answer(request.id, Err(invalid()));
        };
        let (name, text, version) = (name.clone(), document.text.as_str().to_string(), document.version);
        let (buffers, sender, findings) =
            (self.world.buffers(), self.connection.sender.clone(), self.findings.clone());
        let cancel = Cancel::default();
        let (id, watched) = (request.id.clone(), cancel.clone());
        let work = move || {
            let run = || commands::check(&name, &text, &buffers, function.as_deref(), &watched);
            let found = catch_unwind(AssertUnwindSafe(run))
                .unwrap_or_else(|_| Err("a bug in adc: the check panicked".to_string()));
            let (answer, line, kind) = match found {
                _ if watched.is_cancelled() => {
                    let cancelled = Refusal(ErrorCode::RequestCanceled, "cancelled".into());
                    let _ = sender.send(Message::Response(response(request.id, Err(cancelled))));
                    return;
                }
                Ok(found) => {
                    let mut told = diagnostics::of(&Known::of(&name, &text, &buffers));
                    told.extend(found.messages.iter().cloned());
                    let mut all = findings.lock().unwrap_or_else(PoisonError::into_inner);
                    all.insert(name, found.messages);
                    drop(all);
                    let _ = sender.send(Message::Notification(published(&uri, Some(version), &told)));
                    (Ok(found.answer), found.line, if found.passed { 3 } else { 1 })
                }
                Err(why) => (Err(Refusal(ErrorCode::RequestFailed, why.clone())), why, 2),
            };
            let message = json!({"type": kind, "message": line});
            let _ =
                sender.send(Message::Notification(Notification::new("window/showMessage".into(), message)));
            let _ = sender.send(Message::Response(response(request.id, answer)));
        };
        self.running.retain(|(_, _, thread)| !thread.is_finished());
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
        match thread {
            Ok(thread) => self.running.push((id, cancel, thread)),
            Err(e) => self.answer(id, Err(Refusal(ErrorCode::InternalError, e.to_string()))),
        }
    }

    /// Ends what still runs.
    fn end(&mut self) {
        self.running.iter().for_each(|(_, cancel, _)| cancel.cancel());
        self.running.drain(..).for_each(|(_, _, thread)| drop(thread.join()));
    }
}

/// The stack of a check, as of the main thread.
const STACK: usize = 8 << 20;

fn invalid() -> Refusal {
    Refusal(ErrorCode::InvalidParams, "the parameters cannot be read".into())
}

fn read<T: DeserializeOwned>(params: Json) -> Option<T> {
    serde_json::from_value(params).ok()
}

fn response(id: RequestId, answer: Answer) -> Response {
    match answer {
        Ok(result) => Response::new_ok(id, result),
        Err(Refusal(code, message)) => Response::new_err(id, code as i32, message),
    }
}

fn published(uri: &Uri, version: Option<i32>, diagnostics: &[lsp_types::Diagnostic]) -> Notification {
    let mut params = json!({"uri": uri, "diagnostics": diagnostics});
    if let Some(version) = version {
        params["version"] = version.into();
    }
    Notification::new("textDocument/publishDiagnostics".into(), params)
}

/// One edit of the whole text, none if it is formatted or has syntax errors.
fn formatting(known: &Known) -> Json {
    let Some(text) = known.texts.first() else { return Json::Null };
    match adc_frontend::format::format(adc_ir::FileId(0), text.as_str()) {
        Ok(out) if out != text.as_str() => json!([{"range": text.whole(), "newText": out}]),
        Ok(_) => json!([]),
        Err(_) => Json::Null,
    }
}
