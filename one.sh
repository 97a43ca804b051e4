. /work/lead/s58/env.sh; cd /work/lead/s58/r
./srvbin 29911 lim=fixed vanish=20 & P=$!
sleep .3; sed 's/:[0-9]*\/v1/:29911\/v1/' out/B_v20.cfg.json > out/one.cfg.json
/work/lead/s58/scw verify --config out/one.cfg.json --profile full --only minute-limit-pro --history out/one.ndjson --json out/one.json --no-color --quiet; kill $P
