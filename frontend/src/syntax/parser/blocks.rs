//! Blocks, and where they end if a brace is missing.

use super::stmts::Entry;
use super::*;

impl Parser<'_> {
    /// `{ … }`; `whole` says what it is the block of.
    pub(super) fn block(&mut self, whole: &str) -> Read<Block> {
        if !self.at(Tok::LBrace) {
            return Err(self.expected("`{`", whole));
        }
        self.enter()?;
        let block = self.block_inside();
        self.depth -= 1;
        Ok(block)
    }

    fn block_inside(&mut self) -> Block {
        let open = self.bump();
        let mut block = Block { stmts: Vec::new(), value: None, span: open };
        loop {
            if self.eat(Tok::RBrace) {
                break;
            }
            if self.at(Tok::Eof) || (self.starts_item() && !self.item_inside(open)) {
                self.unclosed_block(open);
                break;
            }
            let start = self.pos;
            match self.entry() {
                Ok(Entry::Stmt(s)) => block.stmts.push(*s),
                Ok(Entry::Value(e)) => {
                    if matches!(self.peek(), Tok::RBrace | Tok::Eof) || self.starts_item() {
                        block.value = Some(Box::new(e));
                    } else {
                        block.stmts.push(Stmt { span: e.span, kind: StmtKind::Expr(e), attrs: Vec::new() });
                    }
                }
                Ok(Entry::Nothing) => {}
                Err(Reported) => self.skip_to_stmt(start),
            }
            if self.pos == start {
                self.bump();
            }
        }
        if block.value.is_none() {
            last_if_as_value(&mut block, self.tokens[self.pos.saturating_sub(2)].kind);
        }
        block.span = self.since(open);
        block
    }

    fn unclosed_block(&mut self, open: Span) {
        let d = Diagnostic::error(Code::Unclosed, format!("expected `}}`, found {}", self.found()))
            .label(open, "this block is not closed")
            .also(self.span(), "the block should have ended before this")
            .help("add the missing `}`");
        self.report(d);
    }

    /// Reads a function inside a block, if the layout says that it is meant to be there: an error, but its
    /// name is known to the rest. Otherwise the block lacks its `}`.
    fn item_inside(&mut self, open: Span) -> bool {
        let line_start = |at: u32| self.text[..at as usize].rfind('\n').map_or(0, |i| i + 1);
        let indent = |at: u32| {
            let line = &self.text[line_start(at)..];
            line.len() - line.trim_start_matches([' ', '\t']).len()
        };
        let at = self.span().start;
        let inside = line_start(at) == line_start(open.start) || indent(at) > indent(open.start);
        if !inside || !self.at(Tok::Fn) {
            return false;
        }
        self.say(
            Code::NotInLanguage,
            "a function inside a function",
            self.span().to(self.span_at(1)),
            "functions do not nest",
            "move it out; what it uses from here becomes a parameter",
        );
        let start = self.pos;
        match self.nest(|p| p.item()) {
            Ok(item) => self.nested_items.extend(item),
            Err(Reported) => self.skip_to_stmt(start),
        }
        true
    }
}

/// The `if` at the end of a block is its value if a branch has one. `before` is the token before the
/// closing brace.
fn last_if_as_value(block: &mut Block, before: Tok) {
    let Some(Stmt { kind: StmtKind::If(i), attrs, .. }) = block.stmts.last() else { return };
    let has_value = i.branches.iter().map(|(_, b)| b).chain(&i.otherwise).any(|b| b.value.is_some());
    if !has_value || !attrs.is_empty() || before == Tok::Semi {
        return;
    }
    if let Some(Stmt { kind: StmtKind::If(i), .. }) = block.stmts.pop() {
        let span = i.span;
        block.value = Some(Box::new(Expr::new(ExprKind::If(Box::new(i)), span)));
    }
}
