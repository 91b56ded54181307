#!/bin/sh
# An agent that is there, beats, and withholds what it owes; a machine that dies as soon as it is ready. It
# is set aside by name, the others finish, and with none left the run ends. Speaks TAP. HEADCOUNT is the
# program; run from the repository's root.
. tests/tap.sh
. tests/hosts.sh
command -v perl >/dev/null || skip_all "a machine that withholds what it owes is set aside" perl

# Frames of the types that $host withholds (agent_wire.h: SPAWNED 10, RUNS 11, ENDED 12; START 2 on the way
# down; wire.h: a worker's messages from 64 on) do not pass; half-hearted begins rows of a curve, and then
# only beats; generous grants no threads (THREADS 3, on the way down).
cat >withhold <<'PERL'
use strict;
my ($host) = @ARGV;
my %types = (deaf => [2], absent => [10 .. 12, 64 .. 72], nameless => [10], endless => [12]);
my %withheld = map { $_ => 1 } @{$types{$host} || []};
my ($magic, $header, $rest);
binmode STDIN;
binmode STDOUT;
$| = 1;
read STDIN, $magic, $host =~ /deaf|generous/ ? 0 : 22;
print $magic;
while ((read(STDIN, $header, 12) || 0) == 12) {
    my ($size, $type, $slot) = unpack 'VVV', $header;
    read STDIN, $rest, $size + 1;
    if ($host eq 'half-hearted' && $type >= 64) {
        print pack('VVV', 2000, 66, $slot), 'half';
        %withheld = map { $_ => 1 } 10 .. 12, 64 .. 72;
    }
    $rest =~ s/^\d+/0/ if $host eq 'generous' && $type == 3;
    print $header, $rest if !$withheld{$type};
}
PERL
cat >owing <<'SH'
#!/bin/sh
host=$1
shift
echo $$ >"$host.pid"
[ ! -e "$host.pause" ] || . "./$host.pause"
case $host in
a) exec "$@" ;;
deaf | generous) perl withhold "$host" | "$@" ;;
brief) sed -u '/trial=/e kill -KILL 0' | "$@" ;;
*) "$@" | perl withhold "$host" ;;
esac
SH
chmod +x owing
there="./owing {host}"

export HEADCOUNT_HOST_S=2
pause a start 1
run owing --launch "$there" --hosts a:1,absent:1,nameless:1,endless:1,half-hearted:1
wait_beside "$pid" stands a
told() { # host, words
    check "host $1 is set aside" wait_beside "$pid" says "^$1 is tried again in [0-9]* s: $2.*; 1 trial goes on elsewhere$"
}
told absent "its agent did not say within 2 s whether a worker started"
told nameless "its agent broke the protocol"
told endless "its agent has not reported the end of a worker for 2 s"
told half-hearted "stopped in the middle of a message"
go_on a
check "the host that works finishes the sweep" ended_with 0
check "... to the same bytes" as_here owing
check "... and no trial spends a retry on it" rows_say owing "SELECT sum(retries_used) FROM trial" 0

export HEADCOUNT_HOST_S=1 HEADCOUNT_PAUSE_S=.01
for host in deaf brief; do
    run $host --launch "$there" --hosts $host:1
    check "a run on host $host alone ends with status 2" ended_with 2
    check "... after the host has failed eight times" says "^$host is not used any more: given up after 8 times: "
    check "... and has been tried again seven times" [ "$(grep -c "^$host is tried again in" $host.out)" = 7 ]
done
run generous --launch "$there" --hosts generous:1 -t 2
check "a machine that grants an invalid number of threads is set aside, and why is said" wait_beside "$pid" \
    says "^generous is tried again in .*granted an invalid number of threads"
kill -TERM "$pid"
check "... and the run can still be stopped" ended_with 75
finish
