//! What is wrong or slow in a kernel, and the edits that mend it.
