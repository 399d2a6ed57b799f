// The extension's client against the real language server, under plain Node: `vscode` is a stand-in with what the client uses.
// node client.js ADC MODEL prints what it saw as one line of JSON.
"use strict";

const fs = require("fs");
const Module = require("module");
const url = require("url");

const [adc, model] = process.argv.slice(2);
const stub = require("./vscode");
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? stub : load(name, ...rest));

const { LanguageClient } = require("vscode-languageclient/node");
const { serverOptions, documentSelector, middleware } = require("../src/server");

async function session() {
  const seen = {};
  const options = { documentSelector, middleware: middleware(async (answer) => (seen.shown = answer)) };
  const client = new LanguageClient("adc", "adc", serverOptions(adc), options);
  const told = [];
  client.onNotification("textDocument/publishDiagnostics", (params) => told.push(params));
  await client.start();
  const text = fs.readFileSync(model, "utf8");
  const uri = url.pathToFileURL(model).toString();
  const textDocument = { uri, languageId: "adc", version: 1, text };
  await client.sendNotification("textDocument/didOpen", { textDocument });
  const position = { line: 3, character: 14 };
  const hover = await client.sendRequest("textDocument/hover", { textDocument: { uri }, position });
  seen.hover = hover.contents.value;
  for (let i = 0; i < 600 && told.length === 0; i++) {
    await new Promise((done) => setTimeout(done, 100));
  }
  seen.diagnostics = told[0].diagnostics.map(({ code, range }) => ({ code, range }));
  const contentChanges = [{ text: text.replace("ln", "log") }];
  await client.sendNotification("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges });
  const execute = (command, ...args) =>
    options.middleware.executeCommand(command, args, (command, args) =>
      client.sendRequest("workspace/executeCommand", { command, arguments: args }),
    );
  await execute("adc.showDerivative", uri, "quad");
  seen.check = await execute("adc.check", uri, "quad");
  await client.stop();
  return seen;
}

session()
  .catch((error) => ({ error: `${error && error.stack}` }))
  .then((seen) => {
    console.log(JSON.stringify(seen));
    process.exit(seen.error ? 1 : 0);
  });
