//! Maps lines of a listing to the PTX lines that they were compiled from.

use super::source::PtxSource;
use crate::binary::Lines;
use std::collections::HashMap;
use std::ops::Range;
use syntax::sass::Listing;

/// Line map between a SASS listing and its PTX. All lines are 0-based.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineMap {
    /// Pairs of an instruction's line in the listing and the PTX line that the instruction was compiled from, sorted by
    /// listing line. Instructions for which the cubin has no line are omitted.
    pub pairs: Vec<(u32, u32)>,
    /// Functions that occur in both texts, in listing order.
    pub functions: Vec<MappedFunction>,
}

/// Line ranges of a function in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFunction {
    pub name: String,
    pub listing: Range<u32>,
    pub source: Range<u32>,
}

impl LineMap {
    /// Builds the map from the PTX line table that ptxas writes into a cubin. The map has no pairs if
    /// no table can be parsed.
    pub fn build(source: &PtxSource, cubin: &[u8], listing: &str) -> Self {
        let tables = Lines::parse(cubin).map(|lines| lines.ptx).unwrap_or_default();
        let tables: HashMap<&str, _> = tables.iter().map(|table| (table.function.as_str(), table)).collect();
        let most = source.line_starts().len() as u32;
        let defined: HashMap<&str, _> =
            source.functions.iter().filter(|f| f.has_body).map(|f| (f.name.as_str(), f)).collect();
        let listing = Listing::parse(listing);
        let mut map = Self::default();
        for (index, chunk) in listing.chunks().iter().enumerate() {
            let Some(name) = chunk.name().filter(|_| !chunk.instructions().is_empty()) else { continue };
            let first = listing.start(index).line;
            if let Some(function) = defined.get(name) {
                map.functions.push(MappedFunction {
                    name: name.to_owned(),
                    listing: first..first + chunk.lines().len() as u32,
                    source: function.lines.clone(),
                });
            }
            let Some(table) = tables.get(name) else { continue };
            for instruction in chunk.instructions() {
                let Some(address) = instruction.address else { continue };
                let row = table.rows.partition_point(|row| row.address <= address).checked_sub(1);
                let line = row.map_or(0, |row| table.rows[row].line);
                // A line after the end of the text belongs to another version of the text.
                if (1..=most).contains(&line) {
                    map.pairs.push((first + instruction.line, line - 1));
                }
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::ptx::Module;

    const PTX: &str = include_str!("../../../../tests/e2e/stand_in/scale.ptx");
    const CUBIN: &[u8] = include_bytes!("../../../../tests/e2e/stand_in/scale.cubin");
    const LISTING: &str = include_str!("../../../../tests/e2e/stand_in/scale.listing");

    fn map(cubin: &[u8], listing: &str) -> LineMap {
        LineMap::build(&PtxSource::new(&Module::parse(PTX)), cubin, listing)
    }

    #[test]
    fn an_instruction_leads_to_what_it_was_made_of() {
        let listing = format!("// a line before\n{LISTING}");
        let (lines, ptx): (Vec<_>, Vec<_>) = (listing.lines().collect(), PTX.lines().collect());
        let made = map(CUBIN, &listing);
        let of = |opcode: &str| -> Vec<&str> {
            let pairs = made.pairs.iter().filter(|(line, _)| lines[*line as usize].contains(opcode));
            pairs.map(|(_, line)| ptx[*line as usize].trim()).collect()
        };
        assert_eq!(of(" FMUL "), ["mul.f32 %f3, %f1, %f2;"]);
        assert_eq!(of(" STG.E "), ["st.global.f32 [%rd4], %f3;"]);
        assert_eq!(of(" EXIT "), ["@%p1 bra done;", "ret;"]);
        let [scale] = &made.functions[..] else { panic!("{:?}", made.functions) };
        assert_eq!((scale.name.as_str(), &scale.source), ("scale", &(5..32)));
        let between = scale.listing.clone();
        assert!(made.pairs.iter().all(|(line, _)| between.contains(line)), "{between:?}");
        assert!(made.pairs.is_sorted());
    }

    #[test]
    fn a_cubin_without_a_table_leaves_the_functions() {
        let made = map(b"no cubin", LISTING);
        assert_eq!((made.pairs.len(), made.functions.len()), (0, 1));
        assert_eq!(map(CUBIN, ""), LineMap::default());
    }

    #[test]
    fn lines_of_another_text_are_left_out() {
        let source = PtxSource::new(&Module::parse(".version 8.0\n.target sm_90\n"));
        assert_eq!(LineMap::build(&source, CUBIN, LISTING), LineMap::default());
    }
}
