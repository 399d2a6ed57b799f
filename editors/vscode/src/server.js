// What the extension and its test have in common: how the server is started, and what a client does with its answers.
"use strict";

/** How to start the language server of the program `adc`. */
function serverOptions(path) {
  return { command: path || "adc", args: ["lsp"] };
}

/** Which documents it serves. */
const documentSelector = [{ language: "adc" }];

/**
 * What the commands of lenses do beside calling the server: `show` gets the derivative that `adc.showDerivative` gives,
 * as `{title, language, text}`.
 */
function middleware(show) {
  return {
    async executeCommand(command, args, next) {
      const answer = await next(command, args);
      if (command === "adc.showDerivative" && answer) {
        await show(answer);
      }
      return answer;
    },
  };
}

module.exports = { serverOptions, documentSelector, middleware };
