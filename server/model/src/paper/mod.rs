//! The performance model of Zhou et al., "A Performance Analysis Framework for Exploiting GPU Microarchitectural
//! Capability" (ICS'17): Algorithms 1 to 3 and Equations 4 to 21.
