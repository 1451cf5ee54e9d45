# A run that lost things says what, and why, before its figures.
fixture_run 20010101-010000-0001 partial=true extra='"losses":[
 {"subject":"n3","bench":"mpi.latency","reason":"rank 2 on n3 was silent for 10 s","status":"timeout"},
 {"subject":"n4","reason":"hpcbench-mpi: libmpi.so.40 not found","status":"skipped"}],
 "worst":[{"key":{"bench":"mpi.bandwidth","metric":"algbw_Bps","opts":{"datatype":"byte","window":64},
  "bytes":1048576,"nodes":2,"rpn":1,"class":"remote","hw":"cpu"},"a":"n1","b":"n2","dir":"ab",
  "value":4.1e9,"ratio":0.34}],
 "unknown_records":2'
try hpcbench report latest
try hpcbench baseline record night latest
try hpcbench baseline record night latest --force
try hpcbench check latest --baseline night
