#!/bin/sh
# configs/gather.yaml on this machine alone, on four Slurm nodes and on two hosts by ssh: the same bytes.
# Speaks TAP. HEADCOUNT is the program; CLUSTER_FORM=short: with fewer steps. Run from the repository's
# root.
. tests/cluster/bed.sh
sweep=$dir/gather.yaml
steps=500
long || steps=150
sed "s/steps: 1500/steps: $steps/" configs/gather.yaml >"$sweep"
undisturbed

if can_slurm && slurm_up; then
    submit "on four nodes" "$dir/slurm.db" --nodes 4 --
    ends "on four nodes" COMPLETED 0
    complete "on four nodes" "$dir/slurm.db"
    hosts_worked "on four nodes" "$dir/slurm.db" 4
    verdict "the gather sweep gives the same bytes on four Slurm nodes"
else
    skip "the gather sweep gives the same bytes on four Slurm nodes" "Slurm: $(why_not)"
fi
if can_ssh && ssh_up; then
    on_hosts "$dir/ssh.db" a:2,b
    wait "$pid" || trouble "on two hosts: status $?: $(tail -n 5 "$dir/run.out")"
    pid=
    complete "on two hosts" "$dir/ssh.db"
    hosts_worked "on two hosts" "$dir/ssh.db" 2
    verdict "the gather sweep gives the same bytes on two hosts by ssh"
else
    skip "the gather sweep gives the same bytes on two hosts by ssh" "sshd"
fi
finish
