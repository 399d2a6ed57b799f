//! Functions of the runtime in an object file.
//!
//! The runtime's C functions are at hand as one object file, made of everything they are compiled from, with a section for each function.
//! Of it, what a file calls is taken, with what that refers to: copied sections, relocations, and symbols that nothing outside the file
//! sees. So two files can be linked into one program, and neither needs anything beside the C library.
//!
//! Rust's panics are not taken: where one would begin, the process is aborted.

use object::elf::{self, SHF_MERGE, SHF_STRINGS};
use object::read::elf::{ElfFile64, SectionHeader as _};
use object::write::{Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget,
    SectionFlags, SectionIndex, SectionKind, SymbolFlags, SymbolIndex, SymbolKind, SymbolScope,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

type Source<'d> = ElfFile64<'d, object::Endianness, &'d [u8]>;

/// Defines what `object` lacks and `runtime` has.
pub(super) fn into(object: &mut Object, runtime: &[u8]) -> Result<(), String> {
    let mut merge = Merge::new(object, runtime)?;
    for (name, at) in exported(&merge.source)? {
        let Some(id) = merge.object.symbol_id(name.as_bytes()) else { continue };
        if merge.object.symbol(id).is_undefined() {
            let (section, offset) = merge.place(at)?;
            let symbol = merge.object.symbol_mut(id);
            symbol.section = SymbolSection::Section(section);
            (symbol.value, symbol.scope) = (offset, SymbolScope::Compilation);
        }
    }
    merge.finish()
}

/// The names of the runtime's C functions.
pub(super) fn symbols(runtime: &[u8]) -> Result<BTreeSet<String>, String> {
    Ok(exported(&parse(runtime)?)?.into_iter().map(|(name, _)| name).collect())
}

fn parse(runtime: &[u8]) -> Result<Source<'_>, String> {
    Source::parse(runtime).map_err(|e| format!("the runtime cannot be read: {e}"))
}

/// The runtime's C functions by name.
fn exported(source: &Source) -> Result<Vec<(String, SymbolIndex)>, String> {
    let functions = source.symbols().filter(|s| s.is_global() && s.is_definition());
    let named = functions.map(|s| Ok((s.name().map_err(|e| e.to_string())?.to_string(), s.index())));
    let mut all = named.collect::<Result<Vec<_>, String>>()?;
    all.retain(|(name, _)| name.starts_with("adc_"));
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// All of the runtime as one object file, of which nothing but its C functions is seen outside.
///
/// # Errors
/// The runtime is no object file, or has what no file can be made of.
pub fn archive(runtime: &[u8]) -> Result<super::Archive, String> {
    let source = parse(runtime)?;
    let mut object = Object::new(object::BinaryFormat::Elf, source.architecture(), source.endianness());
    object.flags = source.flags();
    let mut merge = Merge::new(&mut object, runtime)?;
    let mut symbols = Vec::new();
    for (name, at) in exported(&merge.source)? {
        let (section, value) = merge.place(at)?;
        merge.object.add_symbol(Symbol {
            name: name.clone().into_bytes(),
            value,
            size: 0,
            kind: SymbolKind::Text,
            // Seen by what it is linked with, not by what uses the library that comes of it.
            scope: SymbolScope::Linkage,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
        symbols.push(name);
    }
    merge.finish()?;
    object.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Linker);
    let bytes = object.write().map_err(|e| e.to_string())?;
    Ok(super::Archive { bytes, symbols })
}

struct Merge<'o, 'w, 'd> {
    object: &'o mut Object<'w>,
    source: Source<'d>,
    /// Sections of the source in the object.
    sections: FxHashMap<SectionIndex, SectionId>,
    /// Constants of the source in the object, by section and place: those of one size may be shared, so each is taken by itself.
    constants: FxHashMap<(SectionIndex, u64), (SectionId, u64)>,
    /// Where they are.
    pool: Option<SectionId>,
    /// Code that aborts the process.
    aborts: Option<SectionId>,
    /// Those whose relocations are still to be copied.
    new: Vec<SectionIndex>,
    /// Symbols by name that something else has to define.
    outside: FxHashMap<String, SymbolId>,
}

impl<'o, 'w, 'd> Merge<'o, 'w, 'd> {
    fn new(object: &'o mut Object<'w>, runtime: &'d [u8]) -> Result<Merge<'o, 'w, 'd>, String> {
        let source = parse(runtime)?;
        let (sections, constants, pool, aborts, new, outside) = Default::default();
        Ok(Merge { object, source, sections, constants, pool, aborts, new, outside })
    }

    /// Where a symbol is in the object.
    fn place(&mut self, symbol: SymbolIndex) -> Result<(SectionId, u64), String> {
        let symbol = self.source.symbol_by_index(symbol).map_err(|e| e.to_string())?;
        let address = symbol.address();
        let section = symbol.section_index().ok_or("a symbol of the runtime is in no section")?;
        Ok((self.section(section)?, address))
    }

    /// A section of the source in the object.
    fn section(&mut self, index: SectionIndex) -> Result<SectionId, String> {
        if let Some(id) = self.sections.get(&index) {
            return Ok(*id);
        }
        let section = self.source.section_by_index(index).map_err(|e| e.to_string())?;
        let (kind, name) = (section.kind(), section.name().map_err(|e| e.to_string())?);
        let plain = match kind {
            SectionKind::Text => ".text",
            SectionKind::Data => ".data",
            SectionKind::ReadOnlyDataWithRel => ".data.rel.ro",
            SectionKind::ReadOnlyData | SectionKind::ReadOnlyString => ".rodata",
            SectionKind::UninitializedData => ".bss",
            SectionKind::Tls => ".tdata",
            SectionKind::UninitializedTls => ".tbss",
            _ => return Err(format!("the runtime has a section `{name}` of an unknown kind")),
        };
        // Strings that end with 0 may be shared; for others, it does not matter.
        let kind = if kind == SectionKind::ReadOnlyString { SectionKind::ReadOnlyData } else { kind };
        let id = self.object.add_section(Vec::new(), format!("{plain}.adc").into_bytes(), kind);
        if section.kind().is_bss() {
            self.object.append_section_bss(id, section.size(), section.align());
        } else {
            let data = section.data().map_err(|e| e.to_string())?;
            self.object.append_section_data(id, data, section.align());
        }
        self.sections.insert(index, id);
        self.new.push(index);
        Ok(id)
    }

    /// Copies the relocations of all sections that were taken, and what they refer to.
    fn finish(mut self) -> Result<(), String> {
        while let Some(index) = self.new.pop() {
            let section = self.source.section_by_index(index).map_err(|e| e.to_string())?;
            let into = self.sections[&index];
            let relocations: Vec<_> = section.relocations().collect();
            for (offset, relocation) in relocations {
                let RelocationTarget::Symbol(target) = relocation.target() else {
                    return Err("the runtime has a relocation without a symbol".to_string());
                };
                let (symbol, value) = self.target(target)?;
                let relocation = Relocation {
                    offset,
                    symbol,
                    addend: relocation.addend() + value,
                    flags: relocation.flags(),
                };
                self.object.add_relocation(into, relocation).map_err(|e| e.to_string())?;
            }
        }
        Ok(())
    }

    /// What a relocation refers to: a symbol of the object, and what is added to it.
    fn target(&mut self, index: SymbolIndex) -> Result<(SymbolId, i64), String> {
        let symbol = self.source.symbol_by_index(index).map_err(|e| e.to_string())?;
        let name = symbol.name().map_err(|e| e.to_string())?.to_string();
        let Some(section) = symbol.section_index() else {
            return Ok((self.outside(name, symbol.is_weak()), 0));
        };
        let within = self.source.section_by_index(section).map_err(|e| e.to_string())?;
        let address = symbol.address();
        let panics = is_panic(within.name().map_err(|e| e.to_string())?) || is_panic(&name);
        if panics && within.kind() == SectionKind::Text {
            return Ok((self.abort()?, 0));
        }
        let (section, offset) = match symbol.kind() {
            SymbolKind::Section => (self.section(section)?, address),
            _ => match self.constant(section, address)? {
                Some(place) => place,
                None => (self.section(section)?, address),
            },
        };
        Ok((self.object.section_symbol(section), offset as i64))
    }

    /// A constant of a section whose constants may be shared, in the object; `None` if it is another section.
    fn constant(&mut self, index: SectionIndex, address: u64) -> Result<Option<(SectionId, u64)>, String> {
        let section = self.source.section_by_index(index).map_err(|e| e.to_string())?;
        let SectionFlags::Elf { sh_flags } = section.flags() else { return Ok(None) };
        let size = section.elf_section_header().sh_entsize(self.source.endian());
        let shared = sh_flags & u64::from(SHF_MERGE) != 0 && sh_flags & u64::from(SHF_STRINGS) == 0;
        if !shared || size == 0 || section.relocations().next().is_some() {
            return Ok(None);
        }
        if let Some(place) = self.constants.get(&(index, address)) {
            return Ok(Some(*place));
        }
        let data = section.data().map_err(|e| e.to_string())?;
        let range = address as usize..(address + size) as usize;
        let bytes = data.get(range).ok_or("a constant of the runtime is outside its section")?;
        let into = match self.pool {
            Some(id) => id,
            None => self.object.add_section(Vec::new(), b".rodata.adc".to_vec(), SectionKind::ReadOnlyData),
        };
        self.pool = Some(into);
        let place = (into, self.object.append_section_data(into, bytes, section.align()));
        self.constants.insert((index, address), place);
        Ok(Some(place))
    }

    /// Code that aborts the process. It is in the file, since not only calls refer to it.
    fn abort(&mut self) -> Result<SymbolId, String> {
        let section = match self.aborts {
            Some(section) => section,
            None => {
                // A jump to the C library's function.
                let (code, offset, r_type, addend): (&[u8], _, _, _) = match self.source.architecture() {
                    Architecture::X86_64 => (&[0xe9, 0, 0, 0, 0], 1, elf::R_X86_64_PLT32, -4),
                    Architecture::Aarch64 => (&[0, 0, 0, 0x14], 0, elf::R_AARCH64_JUMP26, 0),
                    other => return Err(format!("its processor is of an unknown kind, {other:?}")),
                };
                let name = b".text.adc".to_vec();
                let section = self.object.add_section(Vec::new(), name, SectionKind::Text);
                self.object.append_section_data(section, code, 16);
                let symbol = self.outside("abort".to_string(), false);
                let relocation =
                    Relocation { offset, symbol, addend, flags: RelocationFlags::Elf { r_type } };
                self.object.add_relocation(section, relocation).map_err(|e| e.to_string())?;
                self.aborts = Some(section);
                section
            }
        };
        Ok(self.object.section_symbol(section))
    }

    /// A symbol that something else defines.
    fn outside(&mut self, name: String, weak: bool) -> SymbolId {
        if let Some(id) = self.outside.get(&name) {
            return *id;
        }
        let known = self.object.symbol_id(name.as_bytes());
        let id = known.unwrap_or_else(|| {
            self.object.add_symbol(Symbol {
                name: name.clone().into_bytes(),
                value: 0,
                size: 0,
                kind: SymbolKind::Text,
                scope: SymbolScope::Dynamic,
                weak,
                section: SymbolSection::Undefined,
                flags: SymbolFlags::None,
            })
        });
        self.outside.insert(name, id);
        id
    }
}

/// Whether a function, by its mangled name, begins a panic, and does not return.
fn is_panic(name: &str) -> bool {
    [
        "4core9panicking",
        "3std9panicking",
        "4core6option13expect_failed",
        "4core6option13unwrap_failed",
        "4core6result13unwrap_failed",
        "5alloc7raw_vec12handle_error",
        "5alloc7raw_vec17capacity_overflow",
        "5alloc5alloc18handle_alloc_error",
        "4core5slice5index16slice_index_fail",
        "4core4cell22panic_already_borrowed",
        "4core4cell30panic_already_mutably_borrowed",
    ]
    .iter()
    .any(|part| name.contains(part))
}
