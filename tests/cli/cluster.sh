#!/bin/bash
# The scripts of examples/cluster, with a Slurm and a GNU parallel of a few lines that run each job at
# once, on this machine: the same result as that of one process.
# usage: cluster.sh FOLDER_OF_CARDAN EXAMPLES WORK
set -eu
build=$(realpath "$1")
examples=$(realpath "$2")
rm -rf "$3"
mkdir -p "$3/bin"
cd "$3"
export PATH="$PWD/bin:$build:$PATH"

cat >bin/sbatch <<'END'
#!/bin/bash
# tasks of the array, then the number of the job
set -eu
tasks=
for option; do
  case $option in
    --array=0-*) tasks=$(seq 0 "${option#--array=0-}") ;;
    --export=ALL,*) export "${option#--export=ALL,}" ;;
    --dependency=afterany:7) tasks= ;;
    --parsable) ;;
    *) break ;;
  esac
  shift
done
for task in ${tasks:--}; do
  SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_PER_TASK=1 bash "$@" >>batch.log 2>&1 || echo "status $?" >>batch.log
done
echo 7
END
cat >bin/srun <<'END'
#!/bin/bash
case $1 in --mpi=*) shift ;; esac
exec "$@"
END
cat >bin/parallel <<'END'
#!/bin/bash
[ "$1" = --quote ] && shift
while read -r n; do "${@//"{}"/$n}"; done
END
chmod +x bin/*

cat >plan.txt <<'END'
(plan (random "q.q1" (uniform -3 3)) (count 100) (collect (end "q.q1") drift))
END
given=(double-pendulum plan.txt)
options=(--time 0.2 --dt 0.01)
cardan sweep double-pendulum --plan plan.txt --out one.h5 "${options[@]}" --quiet

"$examples/submit" 3 "${given[@]}" array.h5 "${options[@]}" >/dev/null
cmp one.h5 array.h5
"$examples/with-parallel" 4 "${given[@]}" parallel.h5 "${options[@]}" >/dev/null
cmp one.h5 parallel.h5
if command -v cardan-mpi >/dev/null; then
  sbatch "$examples/mpi.slurm" "${given[@]}" mpi.h5 "${options[@]}" >/dev/null
  cmp one.h5 mpi.h5
fi
