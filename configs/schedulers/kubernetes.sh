# Lines to copy. An array whose tasks each run a shard, and a job that merges them:
kubectl apply -f shards.yaml && kubectl wait --for=condition=complete --timeout=-1s job/shards
headcount merge --whole --into sweep.db sweep-*-of-8.db
# Or the pods of a StatefulSet, to which a volume in /data is common:
headcount run sweep.yaml --launch 'kubectl exec -i {host} --' \
    --hosts "$(kubectl get pods -l app=headcount -o name | sed 's/.*\///' | paste -sd,)"
