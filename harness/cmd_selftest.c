extern int hpcbench_pending;
