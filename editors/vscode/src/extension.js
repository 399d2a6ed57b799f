// The extension: it starts `adc lsp` and shows derivatives beside their functions.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverOptions, documentSelector, middleware } = require("./server");

let client;

function start() {
  const path = vscode.workspace.getConfiguration("adc").get("path");
  client = new LanguageClient("adc", "adc", serverOptions(path), {
    documentSelector,
    middleware: middleware(show),
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.dsl") },
  });
  return client.start();
}

/** Opens a text beside the editor. */
async function show({ language, text }) {
  const known = await vscode.languages.getLanguages();
  const document = await vscode.workspace.openTextDocument({
    language: known.includes(language) ? language : "plaintext",
    content: text,
  });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

async function checkFile() {
  const document = vscode.window.activeTextEditor?.document;
  if (client && document?.languageId === "adc") {
    await vscode.commands.executeCommand("adc.check", document.uri.toString());
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("adc.checkFile", checkFile),
    vscode.commands.registerCommand("adc.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  try {
    await start();
  } catch (error) {
    vscode.window.showErrorMessage(`adc does not start: ${error}. Install it, or say where it is: setting "adc.path".`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
