#!/usr/bin/env bash
# Builds each program as it is and with its advice followed, runs both, and profiles one launch of each with Nsight Compute.
#
# Usage: measure.sh FOLDER [PROGRAM...]
# Writes FOLDER/times.csv (program, guide, milliseconds before and after of a launch, the same in microseconds under the profiler) and
# FOLDER/<program>.ncu-rep, the profile of each program as it is. Needs nvcc, ncu, git and a GPU.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/before" "$work/after"
cp "$here"/*.cu "$here/bench.h" "$work/before"
cp "$here"/*.cu "$here/bench.h" "$work/after"
(cd "$work/after" && for change in "$here"/followed/*.diff; do git apply -p0 "$change"; done)
ls "$work"/*/*.cu | xargs -P "$(nproc)" -I{} sh -c 'nvcc -arch=sm_90 -O3 -lineinfo "$1" -o "${1%.cu}"' build {}

# The third launch, as the two before it warm up.
profile() {
    ncu --set full --import-source yes --launch-skip 2 --launch-count 1 -f -o "$2" "$1" >"$work/log" 2>&1 || cat "$work/log" >&2
    ncu --import "$2.ncu-rep" --page raw --csv --print-units base --metrics gpu__time_duration.sum | tail -1 | sed 's/.*,"\([0-9.,]*\)"$/\1/; s/,//g'
}

echo "program,guide,before_ms,after_ms,before_profiled_ns,after_profiled_ns,results" >"$out/times.csv"
if [ $# = 0 ]; then
    set -- $(cd "$here/followed" && ls *.diff | sed 's/\.diff$//')
fi
for program in "$@"; do
    change=$here/followed/$program.diff
    guide=$(sed -n '1s/# guide: //p' "$change")
    IFS=, read -r _ before_ok before <<<"$("$work/before/$program")"
    IFS=, read -r _ after_ok after <<<"$("$work/after/$program")"
    before_ns=$(profile "$work/before/$program" "$out/$program")
    after_ns=$(profile "$work/after/$program" "$work/after")
    echo "$program,$guide,$before,$after,$before_ns,$after_ns,$before_ok $after_ok" | tee -a "$out/times.csv"
done
