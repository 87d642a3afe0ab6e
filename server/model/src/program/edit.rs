//! Modified copies of programs: merged accesses, other control codes, another order of instructions.

use super::Program;
use super::decode::pair;
use super::instruction::Inst;
use crate::Control;

impl Program {
    /// Returns the program with pairs of loads merged. The first load of each pair also writes the registers of the
    /// second load, in one access as wide as both loads together. The second load is removed. The addresses of the
    /// remaining instructions do not change.
    ///
    /// Both loads of a pair must be in one block, the first before the second, and no instruction may be in two pairs.
    #[must_use]
    pub fn merged(&self, pairs: &[(u32, u32)]) -> Self {
        let mut merged = self.clone();
        let mut is_gone = vec![false; self.instructions.len()];
        for &(first, second) in pairs {
            is_gone[second as usize] = true;
            let other = self.instructions[second as usize];
            let start = merged.accesses.len() as u32;
            merged.accesses.extend_from_slice(self.writes(&self.instructions[first as usize]));
            merged.accesses.extend_from_slice(self.writes(&other));
            let inst = &mut merged.instructions[first as usize];
            inst.writes = (start, inst.writes.1.saturating_add(other.writes.1));
            if let (Some(memory), Some(other)) = (&mut inst.memory, other.memory) {
                memory.bytes_per_lane = memory.bytes_per_lane.saturating_add(other.bytes_per_lane);
            }
        }
        merged.leave_out(&is_gone);
        merged
    }

    /// Returns the program with its instructions in another order and with these control codes. `order[i]` is the old
    /// index of instruction `i`, which gets `controls[i]`. `order` must keep blocks together.
    #[must_use]
    pub fn arranged(&self, order: &[u32], controls: &[Control]) -> Self {
        let mut arranged = self.clone();
        for ((inst, &old), &control) in arranged.instructions.iter_mut().zip(order).zip(controls) {
            let (address, dual) = (inst.address, control.dual);
            *inst = Inst { address, control: Some(control), dual, ..self.instructions[old as usize] };
        }
        pair(&mut arranged.instructions);
        arranged
    }

    /// Removes instructions. At least one instruction of each block must stay.
    fn leave_out(&mut self, is_gone: &[bool]) {
        // Maps old indices to new ones; a removed instruction maps to the next that stays.
        let mut places = Vec::with_capacity(is_gone.len() + 1);
        let mut next = 0;
        for &is_gone in is_gone {
            places.push(next);
            next += u32::from(!is_gone);
        }
        places.push(next);
        let place = |old: u32| places[old as usize];
        let mut index = 0;
        self.instructions.retain(|_| {
            index += 1;
            !is_gone[index - 1]
        });
        for inst in &mut self.instructions {
            inst.target = inst.target.map(place);
        }
        for block in &mut self.blocks {
            block.instructions = place(block.instructions.start)..place(block.instructions.end);
        }
        for (inst, other) in &mut self.meetings {
            (*inst, *other) = (place(*inst), place(*other));
        }
        for wait in &mut self.counted_waits {
            wait.inst = place(wait.inst);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decode;

    #[test]
    fn two_loads_become_one() {
        let program = decode(
            35,
            &["MOV R0, RZ", "LDS R2, [R0]", "FADD R4, R4, R5", "LDS R3, [R0+0x4]", "@P0 BRA 0x10", "EXIT"],
        );
        let merged = program.merged(&[(1, 3)]);
        assert_eq!(merged.instructions.len(), program.instructions.len() - 1);
        let load = &merged.instructions[1];
        assert_eq!(load.memory.map(|memory| memory.bytes_per_lane), Some(8));
        let written: Vec<u16> = merged.writes(load).iter().map(|access| access.register.index).collect();
        assert_eq!(written, [2, 3]);
        let branch = &merged.instructions[3];
        assert_eq!(
            (branch.address, branch.target),
            (program.instructions[4].address, program.instructions[4].target)
        );
        let blocks: Vec<_> = merged.blocks.iter().map(|block| block.instructions.clone()).collect();
        let old: Vec<_> = program.blocks.iter().map(|block| block.instructions.clone()).collect();
        assert_eq!(blocks.len(), old.len());
        assert_eq!(blocks.last().map(|range| range.end), Some(5));
    }
}
