#!/bin/bash
# Uploads a directory with eight tasks: sbatch slurm-array.sh DIR BATCH
# The key is read from ~/.config/sluice/key, which only you can read.
#SBATCH --job-name=sluice
#SBATCH --array=0-7
#SBATCH --cpus-per-task=2
#SBATCH --mem=1G
#SBATCH --time=12:00:00
#SBATCH --requeue
set -euo pipefail

source_directory=$1
batch=$2
ledgers=${SLUICE_LEDGERS:-$HOME/.local/state/sluice/$batch}
code=0

sluice upload "$source_directory" --batch "$batch" --part auto \
  --api-key-file "$HOME/.config/sluice/key" \
  --data-dir "$ledgers/part-$SLURM_ARRAY_TASK_ID" || code=$?

# Also if some files need attention: then the command above ends with 3.
sluice batch receipt "$batch" --csv --data-dir "$ledgers/part-$SLURM_ARRAY_TASK_ID" \
  > "$ledgers/part-$SLURM_ARRAY_TASK_ID.csv"
exit "$code"
