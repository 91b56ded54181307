# Lines to copy: machines.txt lists machines, a name in each line.
headcount run sweep.yaml --launch 'ssh -o BatchMode=yes {host}' --hosts "$(paste -sd, machines.txt)"
