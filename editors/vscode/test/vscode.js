// A stand-in for the module `vscode`, as far as the language client touches it outside of the editor.
"use strict";

const disposable = { dispose() {} };
const event = () => disposable;

/** What is not named here: a class, a function or a namespace that does nothing. */
function anything(name) {
  const nothing = class {
    constructor() {
      return this;
    }
    dispose() {}
  };
  return new Proxy(nothing, {
    get(target, key) {
      if (key in target || typeof key === "symbol") {
        return target[key];
      }
      if (/^on(Did|Will)/.test(key)) {
        return event;
      }
      return (target[key] = anything(`${name}.${String(key)}`));
    },
    apply() {
      return disposable;
    },
  });
}

class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => {
      this.listeners.push(listener);
      return disposable;
    };
  }
  fire(value) {
    this.listeners.forEach((listener) => listener(value));
  }
  dispose() {}
}

class Uri {
  constructor(text) {
    this.text = text;
  }
  static parse(text) {
    return new Uri(text);
  }
  toString() {
    return this.text;
  }
}

const channel = { append() {}, appendLine() {}, show() {}, dispose() {}, clear() {} };

/** A code action kind: what the client adds to is one again. */
const kind = { value: "", append: () => kind, contains: () => false, intersects: () => false };

const parts = {
  CodeActionKind: new Proxy({}, { get: () => kind }),
  version: "1.91.0",
  EventEmitter,
  Uri,
  Disposable: class {
    static from() {
      return disposable;
    }
    dispose() {}
  },
  CancellationTokenSource: class {
    constructor() {
      this.token = { isCancellationRequested: false, onCancellationRequested: event };
    }
    cancel() {}
    dispose() {}
  },
  env: { appName: "test", language: "en", appHost: "desktop" },
  window: new Proxy(
    { createOutputChannel: () => channel, activeTextEditor: undefined, visibleTextEditors: [], tabGroups: { all: [], onDidChangeTabs: event } },
    { get: (target, key) => (key in target ? target[key] : /^on/.test(String(key)) ? event : async () => undefined) },
  ),
  workspace: new Proxy(
    {
      textDocuments: [],
      notebookDocuments: [],
      workspaceFolders: undefined,
      getConfiguration: () => ({ get: (_, otherwise) => otherwise, has: () => false, inspect: () => undefined }),
      createFileSystemWatcher: () => ({ onDidCreate: event, onDidChange: event, onDidDelete: event, dispose() {} }),
    },
    { get: (target, key) => (key in target ? target[key] : /^on/.test(String(key)) ? event : () => disposable) },
  ),
  languages: new Proxy(
    { match: () => 0, createDiagnosticCollection: () => ({ set() {}, delete() {}, clear() {}, dispose() {} }) },
    { get: (target, key) => (key in target ? target[key] : /^on/.test(String(key)) ? event : () => disposable) },
  ),
  commands: { registerCommand: () => disposable, executeCommand: async () => undefined },
};

module.exports = new Proxy(parts, { get: (target, key) => (key in target ? target[key] : (target[key] = anything(String(key)))) });
