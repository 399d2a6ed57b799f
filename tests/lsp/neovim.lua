-- A session in Neovim (0.7 or newer): diagnostics, hover, definition, a quick fix, a new name, formatting. Prints what it saw as JSON.
local seen = {}

local function session()
  vim.cmd("edit model.dsl")
  local buffer = vim.api.nvim_get_current_buf()
  local config = { name = "adc", cmd = { vim.env.ADC, "lsp" }, root_dir = vim.fn.getcwd() }
  local client
  if vim.lsp.start then
    client = assert(vim.lsp.start(config))
  else
    client = assert(vim.lsp.start_client(config))
    vim.lsp.buf_attach_client(buffer, client)
  end
  local function diagnostics()
    return vim.diagnostic.get(buffer)
  end
  assert(vim.wait(60000, function() return #diagnostics() > 0 end), "no diagnostics")
  seen.diagnostics = vim.tbl_map(function(d)
    local code = d.code or (d.user_data and d.user_data.lsp and d.user_data.lsp.code)
    return { code = code, lnum = d.lnum, col = d.col }
  end, diagnostics())

  -- The answer to a request about a place; the column counts bytes.
  local function ask(method, line, column, more)
    vim.api.nvim_win_set_cursor(0, { line + 1, column })
    local params = vim.lsp.util.make_position_params(0, "utf-16")
    if more == "range" then
      more = { range = { start = params.position, ["end"] = params.position }, context = { diagnostics = {} } }
    end
    local answers = vim.lsp.buf_request_sync(buffer, method, vim.tbl_extend("force", params, more or {}), 60000)
    local answer = assert(answers and answers[client], method)
    assert(answer.result, vim.inspect(answer))
    return answer.result
  end

  seen.hover = ask("textDocument/hover", 3, 13).contents.value
  local target = ask("textDocument/definition", 3, 13).range.start
  seen.definition = { target.line, target.character }
  vim.lsp.util.apply_workspace_edit(ask("textDocument/codeAction", 4, 9, "range")[1].edit, "utf-16")
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", 3, 13, { newName = "sq" }), "utf-16")
  local options = { options = { tabSize = 4, insertSpaces = true } }
  vim.lsp.util.apply_text_edits(ask("textDocument/formatting", 0, 0, options), buffer, "utf-16")
  assert(vim.wait(60000, function() return #diagnostics() == 0 end), "diagnostics stay")
  seen.left = #diagnostics()
  seen.text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

local ok, why = xpcall(session, debug.traceback)
if not ok then
  seen.error = why
end
io.stdout:write("\n" .. vim.fn.json_encode(seen) .. "\n")
vim.cmd("qall!")
