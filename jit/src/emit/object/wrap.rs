//! The functions that a caller of an object file sees.
//!
//! A function `F` takes the address of each argument, of each result, and of its workspace, and returns the status. The workspace holds
//! the context of the call, the cells of arguments and results, and the frame; where it begins need not be aligned. Beside it stand
//! `F_workspace_size`, and one function for the text of errors.

use super::FileEntry;
use super::constant;
use crate::call::{Port, ports};
use crate::cells::cells_of;
use crate::emit::compile::{Defined, refused};
use crate::emit::linker::{Linker, Refusal};
use crate::lower::memory::LINE;
use adc_ir::{Code, Diagnostic, Func, ParamDomain, RuntimeError, Scalar, Trap, Type};
use adc_runtime::object::{Context, Domain, NUMBERS};
use cranelift::prelude::{FunctionBuilder, FunctionBuilderContext, InstBuilder, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, MemFlagsData, Signature, types};
use cranelift_module::{DataId, FuncId as NativeId, Linkage};
use std::mem::offset_of;

/// What generated code reads and writes of a context is where it is in a [`crate::context::Context`].
const _: () = {
    type Own = crate::context::Context;
    assert!(offset_of!(Own, fuel) == offset_of!(Context, fuel));
    assert!(offset_of!(Own, numbers) == offset_of!(Context, numbers));
    assert!(offset_of!(Own, extern_status) == offset_of!(Context, extern_status));
};

/// Where things are in an aligned workspace.
struct Layout {
    inputs: u64,
    outputs: u64,
    frame: u64,
    end: u64,
}

impl Layout {
    fn of(inputs: &[Port], outputs: &[Port], frame_bytes: usize) -> Layout {
        let cells = |ports: &[Port]| ports.iter().map(|p| 8 * cells_of(p.ty) as u64).sum::<u64>();
        let after = |at: u64, bytes: u64| (at + bytes).next_multiple_of(LINE);
        let first = after(0, size_of::<Context>() as u64);
        let second = after(first, cells(inputs));
        let frame = after(second, cells(outputs));
        Layout { inputs: first, outputs: second, frame, end: after(frame, frame_bytes as u64) }
    }

    /// Bytes, also where the beginning is not aligned.
    fn size(&self) -> u64 {
        self.end + LINE - 1
    }
}

/// Generates the function of an entry and the one that tells the size of its workspace; this size.
pub(super) fn entry(
    linker: &mut Linker,
    entry: &FileEntry,
    defined: Defined,
    options: &super::FileOptions,
) -> Result<u64, Diagnostic> {
    let func = entry.module.func(entry.func);
    let (inputs, outputs) = ports(func);
    if let Some(k) = outputs.iter().position(|p| p.ty.is_array() && p.fixed_sizes().is_none()) {
        let name = &func.results[k].name;
        let message = format!("the size of result `{name}` of `{}` is known only when it runs", func.name);
        return Err(Diagnostic::error(Code::BadShape, message)
            .label(func.span, "a C caller has no memory for it")
            .help("return an array whose sizes are dimensions, and give these with --dims"));
    }
    let layout = Layout::of(&inputs, &outputs, defined.frame_bytes);
    let bytes = defined.frame_bytes as u64;
    if bytes > options.limits.bytes {
        let message = format!("a call of `{}` needs {bytes} bytes of memory", func.name);
        return Err(Diagnostic::error(Code::TooMuchCode, message)
            .label(func.span, format!("the limit is {} bytes", options.limits.bytes))
            .help("raise it with --memory-limit"));
    }
    let name = &entry.symbol;
    let mut wrap = || -> Result<(), Refusal> {
        number(linker, &format!("{name}_workspace_size"), layout.size())?;
        let w = Wrap { func, entry, inputs: &inputs, outputs: &outputs, layout: &layout };
        w.generate(linker, defined.entry, [options.limits.fuel, options.limits.bytes - bytes])
    };
    wrap().map_err(|e| refused(name, e))?;
    Ok(layout.size())
}

/// A function without parameters that returns a number.
fn number(linker: &mut Linker, name: &str, n: u64) -> Result<(), Refusal> {
    generate(linker, name, 0, types::I64, |b, _, _| {
        let n = b.ins().iconst(types::I64, n as i64);
        b.ins().return_(&[n]);
        Ok(())
    })
}

/// The function `name(workspace, status)` that tells the text of an error.
pub(super) fn error(linker: &mut Linker, name: &str, texts: Vec<u8>) -> Result<(), Refusal> {
    let table = constant(linker, &format!("{name}:texts"), texts)?;
    let describe = native(linker, "adc_describe", &[types::I64, types::I32, types::I64], Some(types::I64))?;
    generate(linker, name, 2, types::I64, |b, linker, params| {
        let context = aligned(b, params[0]);
        let status = b.ins().ireduce(types::I32, params[1]);
        let table = address(b, linker, table);
        let f = linker.code.module().declare_func_in_func(describe, b.func);
        let call = b.ins().call(f, &[context, status, table]);
        let text = b.inst_results(call)[0];
        b.ins().return_(&[text]);
        Ok(())
    })
}

/// Generates an exported function of addresses.
fn generate(
    linker: &mut Linker,
    name: &str,
    params: usize,
    result: types::Type,
    body: impl FnOnce(&mut FunctionBuilder, &mut Linker, &[Value]) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let module = linker.code.module();
    let config = module.target_config();
    let mut context = module.make_context();
    context.func.signature.params = vec![AbiParam::new(types::I64); params];
    context.func.signature.returns = vec![AbiParam::new(result)];
    let id = module.declare_function(name, Linkage::Export, &context.func.signature)?;
    let mut builder = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut context.func, &mut builder);
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    let params = b.block_params(block).to_vec();
    body(&mut b, linker, &params)?;
    b.seal_all_blocks();
    b.finalize(config);
    linker.code.module().define_function(id, &mut context)?;
    Ok(())
}

/// A function of the runtime.
fn native(
    linker: &mut Linker,
    symbol: &str,
    params: &[types::Type],
    result: Option<types::Type>,
) -> Result<NativeId, Refusal> {
    let convention = linker.code.module().isa().default_call_conv();
    linker.import(symbol, || {
        let mut signature = Signature::new(convention);
        signature.params = params.iter().map(|t| AbiParam::new(*t)).collect();
        signature.returns = result.into_iter().map(AbiParam::new).collect();
        signature
    })
}

fn address(b: &mut FunctionBuilder, linker: &mut Linker, data: DataId) -> Value {
    let global = linker.code.module().declare_data_in_func(data, b.func);
    b.ins().symbol_value(types::I64, global)
}

/// Where the context is in a workspace.
fn aligned(b: &mut FunctionBuilder, workspace: Value) -> Value {
    let above = b.ins().iadd_imm_s(workspace, LINE as i64 - 1);
    b.ins().band_imm_s(above, -(LINE as i64))
}

struct Wrap<'w> {
    func: &'w Func,
    entry: &'w FileEntry<'w>,
    inputs: &'w [Port],
    outputs: &'w [Port],
    layout: &'w Layout,
}

impl Wrap<'_> {
    fn generate(&self, linker: &mut Linker, callee: NativeId, limits: [u64; 2]) -> Result<(), Refusal> {
        let count = self.inputs.len() + self.outputs.len() + 1;
        let name = &self.entry.symbol;
        generate(linker, name, count, types::I32, |b, linker, params| {
            let (arguments, rest) = params.split_at(self.inputs.len());
            let (results, workspace) = rest.split_at(self.outputs.len());
            let context = aligned(b, workspace[0]);
            self.begin(b, context, limits);
            for (i, at) in arguments.iter().enumerate() {
                self.domain(b, linker, context, i, *at)?;
            }
            let at = |b: &mut FunctionBuilder, offset: u64| b.ins().iadd_imm_s(context, offset as i64);
            let input = at(b, self.layout.inputs);
            let output = at(b, self.layout.outputs);
            let frame = at(b, self.layout.frame);
            let mut cell = 0;
            for (i, (port, from)) in self.inputs.iter().zip(arguments).enumerate() {
                self.argument(b, port.ty, i, *from, (input, cell));
                cell += 8 * cells_of(port.ty) as i32;
            }
            let mut cell = 0;
            for (port, to) in self.outputs.iter().zip(results) {
                if port.ty.is_array() {
                    b.ins().store(MemFlagsData::trusted(), *to, output, cell);
                }
                cell += 8 * cells_of(port.ty) as i32;
            }
            let f = linker.code.module().declare_func_in_func(callee, b.func);
            let call = b.ins().call(f, &[context, input, output, frame]);
            let status = b.inst_results(call)[0];
            // Whatever takes blocks leaves some behind when it fails.
            if ["adc_take", "adc_grow", "adc_linalg"].iter().any(|s| linker.is_imported(s)) {
                let release = native(linker, "adc_release", &[types::I64], None)?;
                let f = linker.code.module().declare_func_in_func(release, b.func);
                b.ins().call(f, &[context]);
            }
            let (good, end) = (b.create_block(), b.create_block());
            b.ins().brif(status, end, &[], good, &[]);
            b.switch_to_block(good);
            let mut cell = 0;
            for (port, to) in self.outputs.iter().zip(results) {
                if !port.ty.is_array() {
                    result(b, port.ty, (output, cell), *to);
                }
                cell += 8 * cells_of(port.ty) as i32;
            }
            b.ins().jump(end, &[]);
            b.switch_to_block(end);
            b.ins().return_(&[status]);
            Ok(())
        })
    }

    /// What the context is at the beginning of a call.
    fn begin(&self, b: &mut FunctionBuilder, context: Value, [fuel, left]: [u64; 2]) {
        let fields = [
            (fuel, offset_of!(Context, fuel)),
            (left, offset_of!(Context, left)),
            (0, offset_of!(Context, blocks)),
            (0, offset_of!(Context, free)),
            (0, offset_of!(Context, begun)),
        ];
        for (value, at) in fields {
            let value = b.ins().iconst(types::I64, value as i64);
            b.ins().store(MemFlagsData::trusted(), value, context, at as i32);
        }
    }

    /// Returns with an error if an argument has an element outside its domain.
    fn domain(
        &self,
        b: &mut FunctionBuilder,
        linker: &mut Linker,
        context: Value,
        i: usize,
        at: Value,
    ) -> Result<(), Refusal> {
        let param = &self.func.params[i];
        let port = &self.inputs[i];
        let Some(domain) = param.domain else { return Ok(()) };
        let (count, entry) = match port.fixed_sizes() {
            Some(sizes) if !sizes.is_empty() => {
                let number = char::from(NUMBERS[0]);
                let entry = match sizes.len() {
                    1 => format!("`{}[{number}]`", param.name),
                    _ => format!("element {number} of `{}`, row by row,", param.name),
                };
                (sizes.iter().product(), entry)
            }
            _ => (1, format!("`{}`", param.name)),
        };
        let (lo, hi, closed) = match domain {
            ParamDomain::Interval { lo, hi, lo_closed, hi_closed } => {
                (lo, hi, u64::from(lo_closed) + 2 * u64::from(hi_closed))
            }
            ParamDomain::Annulus { r0, r1 } => (r0, r1, 3),
        };
        let elem = match port.ty.scalar() {
            Scalar::F32 => 0,
            Scalar::F64 => 1,
            Scalar::C64 => 2,
            Scalar::C128 => 3,
            Scalar::I64 => 4,
            Scalar::Bool => return Ok(()),
        };
        let fields = Domain { lo, hi, closed, elem, count: count as u64 };
        let words = [lo.to_bits(), hi.to_bits(), fields.closed, fields.elem, fields.count];
        const _: () = assert!(size_of::<Domain>() == 40 && offset_of!(Domain, count) == 32);
        let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let data = constant(linker, &format!("{}:domain {i}", self.entry.symbol), bytes)?;
        let outside = native(linker, "adc_outside", &[types::I64; 2], Some(types::I64))?;
        let data = address(b, linker, data);
        let f = linker.code.module().declare_func_in_func(outside, b.func);
        let call = b.ins().call(f, &[data, at]);
        let first = b.inst_results(call)[0];
        let inside = b.ins().icmp_imm_s(IntCC::SignedLessThan, first, 0);
        let (next, fail) = (b.create_block(), b.create_block());
        b.ins().brif(inside, next, &[], fail, &[]);
        b.set_cold_block(fail);
        b.switch_to_block(fail);
        b.ins().store(MemFlagsData::trusted(), first, context, offset_of!(Context, numbers) as i32);
        let trap = Trap::Domain(format!("{entry} must lie in {domain}"));
        let status = linker.status(RuntimeError { trap, span: param.span });
        let status = b.ins().iconst(types::I32, status);
        b.ins().return_(&[status]);
        b.switch_to_block(next);
        Ok(())
    }

    /// Puts an argument into its cells.
    fn argument(&self, b: &mut FunctionBuilder, ty: Type, i: usize, from: Value, to: (Value, i32)) {
        let store = |b: &mut FunctionBuilder, x: Value, k: i32| {
            b.ins().store(MemFlagsData::trusted(), x, to.0, to.1 + 8 * k);
        };
        if ty.is_array() {
            return store(b, from, 0);
        }
        let done = b.create_block();
        if self.entry.ones.contains(&i) {
            let (given, one) = (b.create_block(), b.create_block());
            b.ins().brif(from, given, &[], one, &[]);
            b.switch_to_block(one);
            let bits = match ty.scalar() {
                Scalar::F32 | Scalar::C64 => u64::from(1f32.to_bits()),
                Scalar::F64 | Scalar::C128 => 1f64.to_bits(),
                Scalar::Bool | Scalar::I64 => 1,
            };
            let bits = b.ins().iconst(types::I64, bits as i64);
            store(b, bits, 0);
            if ty.scalar() == Scalar::C128 {
                let zero = b.ins().iconst(types::I64, 0);
                store(b, zero, 1);
            }
            b.ins().jump(done, &[]);
            b.switch_to_block(given);
        }
        let given = MemFlagsData::new().with_notrap();
        match ty.scalar() {
            Scalar::Bool => {
                let x = b.ins().load(types::I8, given, from, 0);
                let x = b.ins().icmp_imm_s(IntCC::NotEqual, x, 0);
                let x = b.ins().uextend(types::I64, x);
                store(b, x, 0);
            }
            Scalar::F32 => {
                let x = b.ins().load(types::I32, given, from, 0);
                let x = b.ins().uextend(types::I64, x);
                store(b, x, 0);
            }
            Scalar::I64 | Scalar::F64 | Scalar::C64 => {
                let x = b.ins().load(types::I64, given, from, 0);
                store(b, x, 0);
            }
            Scalar::C128 => {
                for k in 0..2 {
                    let x = b.ins().load(types::I64, given, from, 8 * k);
                    store(b, x, k);
                }
            }
        }
        b.ins().jump(done, &[]);
        b.switch_to_block(done);
    }
}

/// Takes a scalar result out of its cells.
fn result(b: &mut FunctionBuilder, ty: Type, from: (Value, i32), to: Value) {
    let given = MemFlagsData::new().with_notrap();
    let (part, parts) = match ty.scalar() {
        Scalar::Bool => (types::I8, 1),
        Scalar::F32 => (types::I32, 1),
        Scalar::I64 | Scalar::F64 | Scalar::C64 => (types::I64, 1),
        Scalar::C128 => (types::I64, 2),
    };
    for k in 0..parts {
        let x = b.ins().load(part, MemFlagsData::trusted(), from.0, from.1 + 8 * k);
        b.ins().store(given, x, to, 8 * k);
    }
}
