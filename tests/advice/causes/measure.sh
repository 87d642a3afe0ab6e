#!/usr/bin/env bash
# Builds each program here, times its kernel and the cure, and profiles one launch of both with Nsight Compute. Then profiles the
# programs of the folder above as they are.
#
# Usage: measure.sh FOLDER [SECONDS]
# Writes FOLDER/times.csv (program, whether the results agree, milliseconds before and after), FOLDER/reports.tar.gz with
# <program>.ncu-rep, the profile of the kernel and then of the cure, FOLDER/programs.tar.gz with those of the folder above, and FOLDER/log.
# No profile is begun once SECONDS (default 420) have passed. Needs nvcc, ncu and a GPU.
set -u

here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
limit=${2:-420}
SECONDS=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/pairs" "$work/programs"
exec 2>"$out/log"

build() {
    ls "$1"/*.cu | xargs -P "$(nproc)" -I{} sh -c 'nvcc -arch=sm_90 -O3 -lineinfo "$1" -o "$2/$(basename "$1" .cu)" >&2' build {} "$2"
}
build "$here" "$work/pairs"

echo "program,results,before_ms,after_ms" >"$out/times.csv"
for program in "$work"/pairs/*; do
    timeout 30 "$program" | tee -a "$out/times.csv"
done
echo "timed after $SECONDS s" >&2

profile() {
    if [ "$SECONDS" -ge "$limit" ]; then
        echo "no time for $1" >&2
        return
    fi
    ncu --set full --import-source yes -f -o "$@" >"$work/log" 2>&1 || cat "$work/log" >&2
}
for program in "$work"/pairs/*; do
    name=$(basename "$program")
    profile "$work/pairs/$name" -k "regex:^$name(_cured)?\$" "$program" once
done
(cd "$work/pairs" && tar czf "$out/reports.tar.gz" ./*.ncu-rep)
echo "profiled after $SECONDS s" >&2

# The third launch, as the two before it warm up.
build "$here/.." "$work/programs"
for program in "$work"/programs/*; do
    profile "$program" --launch-skip 2 --launch-count 1 --kill yes "$program"
done
(cd "$work/programs" && tar czf "$out/programs.tar.gz" ./*.ncu-rep)
echo "done after $SECONDS s" >&2
